/** Tool calls of the mock, read by the client from the wire of each API. */

import assert from "node:assert/strict";
import { endpointType } from "../../src/client/endpoint/endpoint_types.ts";
import type { ReplyContent } from "../../src/client/endpoint/protocol/reply_content.ts";
import { ReplyReader } from "../../src/client/endpoint/protocol/reply_reader.ts";
import { BUILTIN } from "../support/builtin.ts";
import { withMock } from "../support/local_mock.ts";
import { exchangeOnce } from "../support/raw_connection.ts";

const PARAMETERS = {
  type: "object",
  properties: {
    "path": { type: "string", pattern: "^/src/[a-z]{4,9}\\.ts$" },
    "line": { type: "integer", minimum: 1, maximum: 90 },
  },
  required: ["path", "line"],
  additionalProperties: false,
};
const MESSAGES = [{ "role": "user", "content": "Read the file." }];
const FLAT = { "name": "read_file", "description": "Reads a file" };
const NESTED = [{ "type": "function", "function": { ...FLAT, "parameters": PARAMETERS } }];

/** Requests with a tool in the form of each API. */
const REQUESTS = {
  chat: { path: "/v1/chat/completions", fields: { "messages": MESSAGES, "tools": NESTED } },
  responses: {
    path: "/v1/responses",
    fields: {
      "input": MESSAGES,
      "tools": [{ "type": "function", ...FLAT, "parameters": PARAMETERS }],
    },
  },
  messages: {
    path: "/v1/messages",
    fields: { "messages": MESSAGES, "tools": [{ ...FLAT, "input_schema": PARAMETERS }] },
  },
  ollama: { path: "/api/chat", fields: { "messages": MESSAGES, "tools": NESTED } },
} as const;

type Api = keyof typeof REQUESTS;

/** Sends a request and returns the content of the reply. */
async function reply(port: number, api: Api, more: object): Promise<ReplyContent> {
  const { path, fields } = REQUESTS[api];
  const { headers, body } = await exchangeOnce(port, "POST", path, {
    "model": "m",
    ...fields,
    ...more,
  });
  const reader = new ReplyReader(endpointType(api));
  reader.begin(200, "", [...headers]);
  const bytes = new TextEncoder().encode(body);
  reader.push(bytes, 0, bytes.length, 0);
  assert.equal(reader.end(true, 1), undefined);
  return reader.content;
}

for (const api of Object.keys(REQUESTS) as Api[]) {
  for (const stream of [true, false]) {
    Deno.test(`MockServer calls tools at ${api}${stream ? " in a stream" : ""}`, () =>
      withMock({ toolCalls: 2, tokens: 60 }, async ({ server }) => {
        const content = await reply(server.port, api, {
          "stream": stream,
          ...(api === "chat" ? { "stream_options": { "include_usage": true } } : {}),
        });
        assert.equal(content.toolCalls.length, 2);
        let tokens = 0;
        for (const { name, argumentsText, id } of content.toolCalls) {
          assert.equal(name, "read_file");
          const { path, line, ...others } = JSON.parse(argumentsText);
          assert.match(path, /^\/src\/[a-z]{4,9}\.ts$/);
          assert.ok(Number.isInteger(line) && line >= 1 && line <= 90);
          assert.deepEqual(others, {});
          if (api !== "ollama") assert.notEqual(id, "");
          tokens += BUILTIN.count(name) + BUILTIN.count(argumentsText);
        }
        const text = new TextDecoder().decode(content.text.view);
        assert.equal(BUILTIN.count(text) + tokens, 60);
        assert.equal(content.usage?.completionTokens, 60);
        if (api === "chat") assert.equal(content.finishReason, "tool_calls");
        if (api === "messages") assert.equal(content.finishReason, "tool_use");
      }));
  }
}

Deno.test("MockServer calls the tools that a request requires, and none where it wants none", () =>
  withMock({}, async ({ server }) => {
    const callsOf = async (more: object) =>
      (await reply(server.port, "chat", { "stream": true, ...more })).toolCalls.map(({ name }) =>
        name
      );
    const other = { "type": "function", "function": { "name": "other" } };
    const tools = [...NESTED, other];
    assert.deepEqual(await callsOf({}), []);
    assert.equal((await callsOf({ "tool_choice": "required" })).length, 1);
    const named = { "type": "function", "function": { "name": "other" } };
    assert.deepEqual(await callsOf({ tools, "tool_choice": named }), ["other"]);
    assert.deepEqual(await callsOf({ "tools": [], "tool_choice": "required" }), []);
    const allowed = {
      "type": "allowed_tools",
      "allowed_tools": { "mode": "required", "tools": [named] },
    };
    assert.deepEqual(await callsOf({ tools, "tool_choice": allowed }), ["other"]);
    const functions = [{ ...FLAT, "parameters": PARAMETERS }];
    assert.deepEqual(
      await callsOf({ "tools": undefined, functions, "function_call": { "name": "read_file" } }),
      ["read_file"],
    );
  }));

Deno.test("MockServer calls one tool at a time where a request wants that", () =>
  withMock({ toolCalls: 3 }, async ({ server }) => {
    const count = async (api: Api, more: object) =>
      (await reply(server.port, api, more)).toolCalls.length;
    assert.equal(await count("chat", {}), 3);
    assert.equal(await count("chat", { "tool_choice": "none" }), 0);
    assert.equal(await count("chat", { "parallel_tool_calls": false }), 1);
    const once = { "type": "any", "disable_parallel_tool_use": true };
    assert.equal(await count("messages", { "tool_choice": once }), 1);
  }));

Deno.test("MockServer calls tools in a share of the replies", () =>
  withMock({ toolCalls: 0.25, tokens: 1 }, async ({ server }) => {
    const counts = await Promise.all(
      Array.from(
        { length: 200 },
        async () => (await reply(server.port, "chat", {})).toolCalls.length,
      ),
    );
    const called = counts.filter((count) => count === 1).length;
    assert.ok(called > 30 && called < 70, `${called} of 200`);
    assert.equal(counts.filter((count) => count > 1).length, 0);
  }));

Deno.test("MockServer cuts tool calls at the limit of tokens", () =>
  withMock({ toolCalls: 1 }, async ({ server }) => {
    const content = await reply(server.port, "chat", {
      "stream": true,
      "max_tokens": 5,
      "stream_options": { "include_usage": true },
    });
    const [call] = content.toolCalls;
    assert.equal(call?.name, "read_file");
    assert.throws(() => JSON.parse(call?.argumentsText ?? "{}"), SyntaxError);
    assert.equal(content.usage?.completionTokens, 5);
    assert.equal(content.finishReason, "length");
  }));

Deno.test("MockServer finds tool calls in its prefix cache in the next prompt", () =>
  withMock(
    { toolCalls: 1, prefixCache: true, blockSize: 4, tokens: 40 },
    async ({ server }) => {
      const first = await reply(server.port, "chat", {});
      const { promptTokens = 0 } = first.usage ?? {};
      const { name = "", argumentsText = "", id } = first.toolCalls[0] ?? {};
      const history = [
        ...MESSAGES,
        {
          "role": "assistant",
          "content": new TextDecoder().decode(first.text.view),
          "tool_calls": [{
            id,
            "type": "function",
            "function": { name, arguments: argumentsText },
          }],
        },
        { "role": "tool", "tool_call_id": id, "content": "export const a = 1;" },
      ];
      const second = await reply(server.port, "chat", { "messages": history });
      const { cachedTokens = 0 } = second.usage ?? {};
      assert.ok(cachedTokens > promptTokens + 20, `${cachedTokens} of ${promptTokens}`);
    },
  ));
