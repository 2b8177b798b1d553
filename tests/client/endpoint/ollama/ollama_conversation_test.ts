import assert from "node:assert/strict";
import { messagesSpan } from "../../../../src/client/endpoint/protocol/conversation_format.ts";
import { ollama } from "../../../../src/client/endpoint/ollama/ollama.ts";
import { OLLAMA_CONVERSATION } from "../../../../src/client/endpoint/ollama/ollama_conversation.ts";
import { ReplyReader } from "../../../../src/client/endpoint/protocol/reply_reader.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The message that feeds a reply back. */
function fedBack(lines: readonly unknown[]): unknown {
  const reader = new ReplyReader(ollama);
  reader.begin(200, "OK", [["Content-Type", "application/x-ndjson"]]);
  const bytes = encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  reader.push(bytes, 0, bytes.length, 1);
  assert.equal(reader.end(true, 2), undefined);
  return JSON.parse(decoder.decode(OLLAMA_CONVERSATION.replyMessage(reader.content)));
}

const line = (message: unknown, done = false) => ({ message, done });

Deno.test("Ollama's text goes back, its thinking does not", () => {
  assert.deepEqual(
    fedBack([
      line({ "role": "assistant", "content": "", "thinking": "hm" }),
      line({ "role": "assistant", "content": 'say "' }),
      line({ "role": "assistant", "content": 'hé"' }, true),
    ]),
    { "role": "assistant", "content": 'say "hé"' },
  );
});

Deno.test("Ollama's calls of tools go back one by one, numbered or not", () => {
  const call = (name: string, args: unknown) => ({ "function": { name, "arguments": args } });
  assert.deepEqual(
    fedBack([
      line({ "content": "", "tool_calls": [call("add", { "x": 1 })] }),
      line({ "content": "", "tool_calls": [{ "id": "b", ...call("now", {}) }] }),
      line({ "content": "" }, true),
    ]),
    {
      "role": "assistant",
      "content": "",
      "tool_calls": [call("add", { "x": 1 }), { "id": "b", ...call("now", {}) }],
    },
  );
});

Deno.test("Ollama's messages come first in a body, pictures as their bytes", () => {
  const { buildBody, systemMessage, userMessage } = OLLAMA_CONVERSATION;
  const messages = [
    systemMessage("be é"),
    userMessage({ texts: ["a", "b"], images: ["data:image/gif;base64,AA=="] }),
  ];
  const body = buildBody(messages, { outputTokens: 3, extra: {} }, {
    ...{ model: "m", streaming: true, legacyMaxTokens: false, perChunkUsage: false },
    extraInputs: { "keep_alive": "5m", "options": { "temperature": 0 } },
  });
  const { start, end } = messagesSpan(OLLAMA_CONVERSATION, body) ?? assert.fail();
  const bytes = ollama.body.encode(body);
  assert.deepEqual(JSON.parse(`[${decoder.decode(bytes.subarray(start, end))}]`), messages);
  assert.deepEqual(messages[1], { "role": "user", "content": "a b", "images": ["AA=="] });
  assert.deepEqual(body["options"], { "num_predict": 3, "temperature": 0 });
});
