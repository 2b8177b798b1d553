import assert from "node:assert/strict";
import { messagesSpan } from "../../../../src/client/endpoint/protocol/conversation_format.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { CHAT_CONVERSATION } from "../../../../src/client/endpoint/openai/chat_conversation.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";

const encoder = new TextEncoder();

/** The message that feeds a reply back. */
function fedBack(contentType: string, body: string): unknown {
  const reader = new ReplyReader(chat);
  reader.begin(200, "OK", [["Content-Type", contentType]]);
  const bytes = encoder.encode(body);
  reader.push(bytes, 0, bytes.length, 1);
  assert.equal(reader.end(true, 2), undefined);
  return JSON.parse(new TextDecoder().decode(CHAT_CONVERSATION.replyMessage(reader.content)));
}

function stream(deltas: readonly unknown[]): string {
  const events = deltas.map((delta) =>
    `data: ${JSON.stringify({ "choices": [{ "index": 0, "delta": delta }] })}\n\n`
  );
  return `${events.join("")}data: [DONE]\n\n`;
}

Deno.test("a reply's text goes back as it is, whatever it is made of", () => {
  const pieces = ['"quoted" \\ back', "\n\ttabs", "é 漢 😀", "\u2028\u0000", "plain", "plain"];
  assert.deepEqual(
    fedBack("text/event-stream", stream(pieces.map((content) => ({ content })))),
    { "role": "assistant", "content": pieces.join("") },
  );
});

Deno.test("a reply's reasoning does not go back", () => {
  const deltas = [{ "reasoning_content": "hmm" }, { "content": "yes" }];
  assert.deepEqual(fedBack("text/event-stream", stream(deltas)), {
    "role": "assistant",
    "content": "yes",
  });
});

Deno.test("tool calls go back with their ids, put together of their pieces", () => {
  const call = (index: number, fields: unknown) => ({
    "tool_calls": [{ index, ...fields as object }],
  });
  const deltas = [
    call(0, { "id": "a", "type": "function", "function": { "name": "add", "arguments": "" } }),
    call(0, { "function": { "arguments": '{"x":' } }),
    call(1, { "id": "b", "function": { "name": "now", "arguments": "{}" } }),
    call(0, { "function": { "arguments": "1}" } }),
  ];
  const message = {
    "role": "assistant",
    "content": null,
    "tool_calls": [
      { "id": "a", "type": "function", "function": { "name": "add", "arguments": '{"x":1}' } },
      { "id": "b", "type": "function", "function": { "name": "now", "arguments": "{}" } },
    ],
  };
  assert.deepEqual(fedBack("text/event-stream", stream(deltas)), message);
  const whole = { ...message, "content": "Let me see." };
  assert.deepEqual(
    fedBack(
      "application/json",
      JSON.stringify({ "choices": [{ "index": 0, "message": whole, "finish_reason": "stop" }] }),
    ),
    whole,
  );
});

Deno.test("a body's messages are found in its bytes, unless it has none of its own", () => {
  const { buildBody } = CHAT_CONVERSATION;
  const settings = {
    ...{ model: "m", streaming: true, legacyMaxTokens: false, perChunkUsage: false },
    extraInputs: { "tools": [{ "messages": [] }] },
  };
  const messages = [{ "role": "user", "content": 'é "]' }, { "role": "user", "content": "b" }];
  const fields = buildBody(messages, { outputTokens: 3, extra: {} }, settings);
  const span = messagesSpan(CHAT_CONVERSATION, fields);
  const bytes = chat.body.encode(fields).subarray(span?.start, span?.end);
  assert.equal(`[${new TextDecoder().decode(bytes)}]`, JSON.stringify(messages));
  assert.equal(messagesSpan(CHAT_CONVERSATION, { "model": "m", messages }), undefined);
  assert.equal(messagesSpan(CHAT_CONVERSATION, { "messages": [] }), undefined);
});
