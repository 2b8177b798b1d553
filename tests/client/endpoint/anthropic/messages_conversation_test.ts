import assert from "node:assert/strict";
import { messagesSpan } from "../../../../src/client/endpoint/protocol/conversation_format.ts";
import { messages } from "../../../../src/client/endpoint/anthropic/messages.ts";
import { MESSAGES_CONVERSATION } from "../../../../src/client/endpoint/anthropic/messages_conversation.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SETTINGS = {
  ...{ model: "m", streaming: false, legacyMaxTokens: false, perChunkUsage: false },
  extraInputs: {},
};

/** The message that feeds a reply back. */
function fedBack(contentType: string, body: string): unknown {
  const reader = new ReplyReader(messages);
  reader.begin(200, "OK", [["Content-Type", contentType]]);
  const bytes = encoder.encode(body);
  reader.push(bytes, 0, bytes.length, 1);
  assert.equal(reader.end(true, 2), undefined);
  return JSON.parse(decoder.decode(MESSAGES_CONVERSATION.replyMessage(reader.content)));
}

function stream(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const begin = (index: number, block: unknown) => ({
  "type": "content_block_start",
  index,
  "content_block": block,
});
const piece = (index: number, delta: unknown) => ({ "type": "content_block_delta", index, delta });
const END = [
  { "type": "message_delta", "delta": { "stop_reason": "tool_use" } },
  { "type": "message_stop" },
];

Deno.test("a message's text goes back as text, its thinking does not", () => {
  const body = stream([
    begin(0, { "type": "thinking", "thinking": "" }),
    piece(0, { "type": "thinking_delta", "thinking": "hm" }),
    begin(1, { "type": "text", "text": "" }),
    piece(1, { "type": "text_delta", "text": 'say "' }),
    piece(1, { "type": "text_delta", "text": 'hé"' }),
    ...END,
  ]);
  assert.deepEqual(fedBack("text/event-stream", body), {
    "role": "assistant",
    "content": 'say "hé"',
  });
});

Deno.test("a message's calls of tools go back as blocks, streamed or whole", () => {
  const expected = {
    "role": "assistant",
    "content": [
      { "type": "text", "text": "Let me see." },
      { "type": "tool_use", "id": "a", "name": "add", "input": { "x": 1 } },
      { "type": "tool_use", "id": "b", "name": "now", "input": {} },
    ],
  };
  const call = (id: string, name: string) => ({ "type": "tool_use", id, name, "input": {} });
  const body = stream([
    begin(0, { "type": "text", "text": "Let me see." }),
    ...[
      begin(1, call("a", "add")),
      piece(1, { "type": "input_json_delta", "partial_json": '{"x"' }),
    ],
    piece(1, { "type": "input_json_delta", "partial_json": ":1}" }),
    begin(2, call("b", "now")),
    // Made and answered by the server.
    begin(3, { "type": "server_tool_use", "id": "c", "name": "web_search", "input": {} }),
    ...END,
  ]);
  assert.deepEqual(fedBack("text/event-stream", body), expected);
  const whole = JSON.stringify({
    "type": "message",
    "content": expected.content,
    "stop_reason": "tool_use",
  });
  assert.deepEqual(fedBack("application/json", whole), expected);
});

Deno.test("a call whose arguments are no object goes back with an empty one", () => {
  const body = stream([
    begin(0, { "type": "tool_use", "id": "a", "name": "add", "input": {} }),
    piece(0, { "type": "input_json_delta", "partial_json": '{"x":' }),
    ...END,
  ]);
  const { content } = fedBack("text/event-stream", body) as { content: unknown };
  assert.deepEqual(content, [{ "type": "tool_use", "id": "a", "name": "add", "input": {} }]);
});

Deno.test("a system message stands before the messages, once, and outside of their bytes", () => {
  const { buildBody, systemMessage, userMessage } = MESSAGES_CONVERSATION;
  const user = userMessage({ texts: ["a", "b"], images: ["data:image/gif;base64,AA=="] });
  const turn = { outputTokens: 3, extra: {} };
  const body = buildBody([systemMessage('be "é"'), user], turn, SETTINGS);
  assert.deepEqual(Object.keys(body), ["system", "messages", "model", "max_tokens"]);
  assert.equal(body["system"], 'be "é"');
  const { start, end } = messagesSpan(MESSAGES_CONVERSATION, body) ?? assert.fail();
  const bytes = messages.body.encode(body);
  assert.deepEqual(JSON.parse(decoder.decode(bytes.subarray(start, end))), user);
  assert.deepEqual(messages.inputTexts(body), ['be "é"', "a", "b"]);
  const own = buildBody([systemMessage("ours"), user], turn, {
    ...SETTINGS,
    extraInputs: { "system": [{ "type": "text", "text": "theirs" }] },
  });
  assert.equal(JSON.stringify(own).match(/"system"/g)?.length, 1);
  assert.match(JSON.stringify(own), /theirs/);
});
