import assert from "node:assert/strict";
import { messagesSpan } from "../../../../src/client/endpoint/protocol/conversation_format.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";
import { responses } from "../../../../src/client/endpoint/openai/responses.ts";
import { RESPONSES_CONVERSATION } from "../../../../src/client/endpoint/openai/responses_conversation.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SETTINGS = {
  model: "m",
  streaming: false,
  legacyMaxTokens: false,
  extraInputs: {},
  perChunkUsage: false,
};

/** The items that feed a reply back. */
function fedBack(events: readonly { readonly type: string }[]): unknown {
  const reader = new ReplyReader(responses);
  reader.begin(200, "OK", [["Content-Type", "text/event-stream"]]);
  const bytes = encoder.encode(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );
  reader.push(bytes, 0, bytes.length, 1);
  assert.equal(reader.end(true, 2), undefined);
  const items = decoder.decode(RESPONSES_CONVERSATION.replyMessage(reader.content));
  return JSON.parse(`[${items}]`);
}

const DONE = { "type": "response.completed", "response": { "status": "completed" } };

Deno.test("a response's text goes back as a message, its reasoning does not", () => {
  const items = fedBack([
    { "type": "response.reasoning_text.delta", "delta": "hm" },
    { "type": "response.output_text.delta", "delta": 'say "' },
    { "type": "response.output_text.delta", "delta": 'hé"' },
    DONE,
  ] as { type: string }[]);
  assert.deepEqual(items, [{ "role": "assistant", "content": 'say "hé"', "type": "message" }]);
});

Deno.test("a response's calls of tools go back with their ids, put together of their pieces", () => {
  const added = (index: number, id: string, name: string) => ({
    "type": "response.output_item.added",
    "output_index": index,
    "item": { "type": "function_call", "id": `fc_${id}`, "call_id": id, name, "arguments": "" },
  });
  const piece = (index: number, delta: string) => ({
    "type": "response.function_call_arguments.delta",
    "output_index": index,
    delta,
  });
  const items = fedBack([
    ...[added(0, "a", "add"), piece(0, '{"x":'), added(1, "b", "now"), piece(1, "{}")],
    ...[piece(0, "1}"), DONE],
  ]);
  assert.deepEqual(items, [
    { "type": "function_call", "call_id": "a", "name": "add", "arguments": '{"x":1}' },
    { "type": "function_call", "call_id": "b", "name": "now", "arguments": "{}" },
  ]);
});

Deno.test("a response's conversation knows between which bytes its items are", () => {
  const { buildBody, systemMessage, userMessage } = RESPONSES_CONVERSATION;
  const items = [systemMessage("be é"), userMessage({ texts: ["a", "b"], images: ["u"] })];
  const body = buildBody(items, { outputTokens: 3, extra: {} }, SETTINGS);
  const { start, end } = messagesSpan(RESPONSES_CONVERSATION, body) ?? assert.fail();
  const bytes = responses.body.encode(body);
  assert.deepEqual(JSON.parse(`[${decoder.decode(bytes.subarray(start, end))}]`), items);
  assert.deepEqual(responses.inputTexts(body), ["be é", "a", "b"]);
  assert.equal(responses.countImages(body), 1);
  assert.equal(messagesSpan(RESPONSES_CONVERSATION, { "input": "a" }), undefined);
});
