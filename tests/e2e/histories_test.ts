/** What sessions send from turn to turn in each API's own form, as a server gets it. */

import assert from "node:assert/strict";
import { type Artifacts, withFolder } from "../support/artifacts.ts";
import { runProfile } from "../support/profile_run.ts";
import { valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";

type Fields = Record<string, unknown>;

/** How one API says the same. */
interface Api {
  /** A reply that says "one two" and calls a tool. */
  readonly reply: (streaming: boolean) => Response;
  /** The messages of a body. */
  readonly messagesOf: (body: Fields) => readonly unknown[];
  /** The system message of a body. */
  readonly systemOf: (body: Fields) => unknown;
  /** What feeds the reply back. */
  readonly fedBack: readonly unknown[];
}

const ARGUMENTS = '{"x":1}';
const MARKER = /^\[rid:\d{12}\]\n\nBe brief\.$/;

function events(list: readonly Fields[], end = ""): Response {
  const text = list.map((event) =>
    `${event["type"] === undefined ? "" : `event: ${event["type"]}\n`}data: ${
      JSON.stringify(event)
    }\n\n`
  ).join("");
  return new Response(text + end, { headers: { "Content-Type": "text/event-stream" } });
}

const firstContent = (messages: unknown): unknown => ((messages as Fields[])[0] ?? {})["content"];
const CALL = {
  "id": "c1",
  "type": "function",
  "function": { "name": "add", "arguments": ARGUMENTS },
};
const BLOCKS = [
  { "type": "text", "text": "one two" },
  { "type": "tool_use", "id": "c1", "name": "add", "input": { "x": 1 } },
];
const ITEMS = [
  {
    "type": "message",
    "role": "assistant",
    "content": [{ "type": "output_text", "text": "one two" }],
  },
  { "type": "function_call", "call_id": "c1", "name": "add", "arguments": ARGUMENTS },
];
const OLLAMA_MESSAGE = {
  "role": "assistant",
  "content": "one two",
  "tool_calls": [{ "function": { "name": "add", "arguments": { "x": 1 } } }],
};

const APIS: Readonly<Record<string, Api>> = {
  "chat": {
    reply: (streaming) =>
      streaming
        ? events([
          { "choices": [{ "index": 0, "delta": { "content": "one" } }] },
          { "choices": [{ "index": 0, "delta": { "content": " two" } }] },
          { "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, ...CALL }] } }] },
        ], "data: [DONE]\n\n")
        : Response.json({
          "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": "one two", "tool_calls": [CALL] },
            "finish_reason": "tool_calls",
          }],
        }),
    messagesOf: ({ messages }) => messages as unknown[],
    systemOf: ({ messages }) => firstContent(messages),
    fedBack: [{ "role": "assistant", "content": "one two", "tool_calls": [CALL] }],
  },
  "responses": {
    reply: (streaming) =>
      streaming
        ? events([{
          "type": "response.completed",
          "response": { "status": "completed", "output": ITEMS },
        }])
        : Response.json({ "object": "response", "status": "completed", "output": ITEMS }),
    messagesOf: ({ input }) => input as unknown[],
    systemOf: ({ input }) => firstContent(input),
    fedBack: [{ "role": "assistant", "content": "one two", "type": "message" }, ITEMS[1]],
  },
  "messages": {
    reply: (streaming) =>
      streaming
        ? events([
          ...BLOCKS.map((block, index) => ({
            "type": "content_block_start",
            index,
            "content_block": block,
          })),
          { "type": "message_delta", "delta": { "stop_reason": "tool_use" } },
          { "type": "message_stop" },
        ])
        : Response.json({ "type": "message", "content": BLOCKS, "stop_reason": "tool_use" }),
    messagesOf: ({ messages }) => messages as unknown[],
    systemOf: ({ system }) => system,
    fedBack: [{ "role": "assistant", "content": BLOCKS }],
  },
  "ollama": {
    reply: () =>
      new Response(`${JSON.stringify({ "message": OLLAMA_MESSAGE, "done": true })}\n`, {
        headers: { "Content-Type": "application/x-ndjson" },
      }),
    messagesOf: ({ messages }) => messages as unknown[],
    systemOf: ({ messages }) => firstContent(messages),
    fedBack: [OLLAMA_MESSAGE],
  },
};

/** Bodies of each session in the order of their turns. */
function bodiesBySession(
  { records }: Artifacts,
  requests: readonly { readonly headers: Headers; readonly body: string }[],
): Fields[][] {
  const bodies = new Map(
    requests.map(({ headers, body }) => [headers.get("x-request-id"), JSON.parse(body)]),
  );
  const sessions = Map.groupBy(records, ({ metadata }) => metadata["x_correlation_id"]);
  return [...sessions.values()].map((turns) =>
    turns.sort((a, b) => Number(a.metadata["turn_index"]) - Number(b.metadata["turn_index"]))
      .map(({ metadata }) => bodies.get(metadata.x_request_id))
  );
}

for (const [name, api] of Object.entries(APIS)) {
  Deno.test(`${name} sends the history in its own form, replies and calls of tools included`, async () => {
    for (const streaming of [true, false]) {
      await using server = startRecordingServer({ answer: () => api.reply(streaming) });
      await withFolder(async (folder) => {
        const { code, stderr, artifacts } = await runProfile(folder, [
          ...["--url", server.url, "--endpoint-type", name, "--model", "m,a-longer-name"],
          ...["--num-sessions", "4", "--session-turns-mean", "3", "--isl", "20", "--osl", "9"],
          ...["--system-prompt", "Be brief.", "--cache-bust", "system-prefix"],
          ...["--concurrency", "2", "--tokenizer", "builtin", ...streaming ? ["--streaming"] : []],
        ]);
        assert.equal(code, 0, stderr);
        const sessions = bodiesBySession(artifacts, server.requests);
        assert.equal(sessions.length, 4);
        assert.deepEqual([...new Set(sessions.flat().map(({ model }) => model))].length, 2);
        for (const bodies of sessions) {
          assert.equal(bodies.length, 3);
          const [first, second, third] = bodies.map(api.messagesOf) as [
            unknown[],
            unknown[],
            unknown[],
          ];
          assert.deepEqual(second.slice(0, -1), [...first, ...api.fedBack]);
          assert.deepEqual(third.slice(0, -1), [...second, ...api.fedBack]);
          assert.match(String((bodies[0] && api.systemOf(bodies[0])) ?? ""), MARKER);
          bodies.forEach((body) => {
            assert.equal(api.systemOf(body), api.systemOf(bodies[0] as Fields));
            assert.equal(body["model"], bodies[0]?.["model"]);
          });
        }
        // Each turn has its own twenty tokens, and those of the replies before.
        const isl = Object.values(Object.groupBy(
          artifacts.records,
          ({ metadata }) => String(metadata["turn_index"]),
        )).map((records = []) =>
          new Set(records.map((record) => valueOf(record, "input_sequence_length")))
        );
        assert.deepEqual(isl.map(({ size }) => size), [1, 1, 1], "all sessions are as long");
        const [one, two, three] = isl.map((lengths) => [...lengths][0] as number) as [
          number,
          number,
          number,
        ];
        assert.equal(three - two, two - one);
        assert.ok(two - one > 20 && two - one < 30, `${one}, ${two}, ${three}`);
      });
    }
  });
}
