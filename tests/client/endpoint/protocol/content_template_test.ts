/** Events that are recognized without being parsed say what they would have said. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { ContentTemplate } from "../../../../src/client/endpoint/protocol/content_template.ts";
import type { EndpointType } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import { endpointType } from "../../../../src/client/endpoint/endpoint_types.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const HEADERS = [["content-type", "text/event-stream"]] as const;

/** What a reader makes of the body of a reply whose events come one by one. */
function taken(reader: ReplyReader, events: readonly string[]): unknown {
  reader.begin(200, "OK", HEADERS);
  events.forEach((event, stampNs) => {
    const bytes = encoder.encode(event);
    reader.push(bytes, 0, bytes.length, stampNs);
  });
  const error = reader.end(true, events.length);
  const { text, reasoning, toolText, toolCalls, chunkNs, chunkCount, ...content } = reader.content;
  return {
    error,
    texts: [text, reasoning, toolText].map(({ view }) => decoder.decode(view)),
    toolCalls: toolCalls.map((call) => ({ ...call })),
    chunkNs: [...chunkNs.subarray(0, chunkCount)],
    rest: [content.usage, content.finishReason, content.endSeen, content.lastEventNs],
    first: [content.firstOutputChunk, content.firstChunkBytes, content.firstChunkTokens],
  };
}

/** The reader reads all replies, of which each is to be read as by one that has read nothing else. */
function assertSame(type: Pick<EndpointType, "replies">, replies: readonly string[][]): void {
  const reader = new ReplyReader(type);
  for (const events of replies) {
    assert.deepEqual(taken(reader, events), taken(new ReplyReader(type), events));
  }
}

/** Events as texts of JSON, so that any field can be odd. */
const id = fc.constantFrom('"id":"a"', '"id":"chatcmpl-2"', '"id": "é"', '"id":"q\\"q"', '"id":7');
const created = fc.constantFrom(
  '"created":1',
  '"created":1767225600',
  '"created":0',
  '"created":01',
);
const shape = fc.record({
  id,
  created,
  model: fc.constantFrom("m", "n", "id"),
  tail: fc.constantFrom("", ',"finish_reason":null', ',"id":"x"', ',"created":5'),
  field: fc.constantFrom("content", "reasoning_content", "id"),
  opening: fc.constantFrom("", "R", "N", "T", "W"),
});
/** What comes before the content: its place, nothing, a call without a name, the first word. */
const OPENINGS: Readonly<Record<string, string>> = {
  "R": '"role":"assistant","content":""',
  "N": '"role":"assistant","content":null',
  "T": '"content":"","tool_calls":[{"index":0,"id":"t"}]',
  "W": '"role":"assistant","content":"word"',
};
const content = fc.constantFrom(" word", "a", "chatcmpl-2", "\\n", "", "é", "probe", "id");
const reply = fc.tuple(shape, fc.array(content, { maxLength: 5 }), fc.boolean()).map(
  ([{ id, created, model, tail, field, opening }, contents, isDone]) => [
    ...[...opening, ...contents.map((text) => `"${field}":"${text}"`)].map((delta) =>
      `data: {${id},${created},"model":"${model}","choices":[{"index":0,"delta":` +
      `{${OPENINGS[delta] ?? delta}}${tail}}]}\n\n`
    ),
    ...(isDone ? ['data: {"choices":[{"finish_reason":"stop"}]}\n\n', "data: [DONE]\n\n"] : []),
  ],
);

Deno.test("ReplyReader reads a reply alike, whatever it has read before", () => {
  fc.assert(
    fc.property(fc.array(reply, { minLength: 2, maxLength: 5 }), (replies) => {
      assertSame(endpointType("chat"), replies);
    }),
    { numRuns: 300 },
  );
});

Deno.test("ReplyReader reads a reply alike where its ID is the content", () => {
  const chat = endpointType("chat");
  const type = {
    replies: {
      ...chat.replies,
      readDelta(json: Record<string, unknown>, delta: { text: string }) {
        delta.text = `${json["id"] ?? ""}${json["text"] ?? ""}`;
      },
    },
  };
  const reply = (id: string) =>
    ["one", "two"].map((text) => `data: {"id":"${id}","text":"${text}"}\n\n`);
  assertSame(type, [reply(""), reply("a"), reply(""), reply("bc")]);
});

Deno.test("ContentTemplate knows the events of the next reply by another name", () => {
  const data = (id: string, created: string, text: string) =>
    `{"id":"${id}","created":${created},"text":"${text}"}`;
  const event = (id: string, created: string, text: string) =>
    encoder.encode(`data: ${data(id, created, text)}\n\n`);
  const template = new ContentTemplate();
  const isSame = (data: string, content: string) => JSON.parse(data)["text"] === content;
  const matches = (bytes: Uint8Array) => template.match(bytes, 0, bytes.length) === bytes.length;
  template.learn("", data("first", "10", "a"), "a", isSame);
  assert.ok(matches(event("first", "10", "bc")));
  assert.ok(!matches(event("other", "10", "bc")), "in the same reply");
  template.reset();
  assert.ok(template.active);
  assert.ok(matches(event("second one", "123", "bc")));
  assert.ok(matches(event("second one", "123", "d")));
  assert.ok(!matches(event("first", "10", "d")));
  template.reset();
  assert.ok(!matches(event("third", "01", "a")), "that is no JSON");
  assert.ok(!matches(event("t\\u0020", "11", "a")));
  assert.ok(matches(event("third", "11", "a")));
});
