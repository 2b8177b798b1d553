import assert from "node:assert/strict";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import { ReplyReader } from "../../../src/client/endpoint/protocol/reply_reader.ts";
import { RecordBlockBuilder } from "../../../src/client/record/record_block.ts";
import { FIELD_COUNT } from "../../../src/client/record/request_fields.ts";

const encoder = new TextEncoder();

function readStream(reader: ReplyReader, choices: readonly unknown[]): void {
  reader.begin(200, "OK", [["content-type", "text/event-stream"]]);
  const events = choices.map((choice) => `data: ${JSON.stringify({ "choices": [choice] })}\n\n`);
  const bytes = encoder.encode(`${events.join("")}data: [DONE]\n\n`);
  reader.push(bytes, 0, bytes.length, 1);
  reader.end(true, 2);
}

function piece(index: number, call: number, name: string, args: string): unknown {
  const part = { "index": call, "function": { ...(name && { "name": name }), "arguments": args } };
  return { "index": index, "delta": { "tool_calls": [part] } };
}

Deno.test("a block has the tool calls of each choice, with names and arguments apart", () => {
  const reader = new ReplyReader(chat);
  const builder = new RecordBlockBuilder();
  const add = (requestId: string): void => {
    const { content } = reader;
    builder.add(new Float64Array(FIELD_COUNT), content.chunkNs, {
      ...{ requestId, correlationId: undefined, finishReason: null, error: undefined },
      ...content.texts,
      rawReply: undefined,
    });
  };
  readStream(reader, [{ "index": 0, "delta": { "content": "none" } }]);
  add("a");
  readStream(reader, [
    piece(0, 0, "first", '{"a":'),
    piece(0, 1, "second", ""),
    piece(0, 0, "", "1}"),
    piece(0, 1, "", "{}"),
    piece(1, 0, "other", "[]"),
  ]);
  add("b");
  readStream(reader, [piece(0, 0, "third", "{}")]);
  add("c");
  const { block } = builder.take();
  assert.deepEqual(block.toolCalls, [
    [1, [
      [{ name: "first", argumentsText: '{"a":1}' }, { name: "second", argumentsText: "{}" }],
      [{ name: "other", argumentsText: "[]" }],
    ]],
    [2, [[{ name: "third", argumentsText: "{}" }]]],
  ]);
  assert.deepEqual(builder.take().block.toolCalls, []);
});
