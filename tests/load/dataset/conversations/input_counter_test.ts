import assert from "node:assert/strict";
import fc from "fast-check";
import { messages } from "../../../../src/client/endpoint/anthropic/messages.ts";
import { BODY_PARTS } from "../../../../src/client/endpoint/protocol/body_pieces.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { responses } from "../../../../src/client/endpoint/openai/responses.ts";
import { InputCounter } from "../../../../src/load/dataset/conversations/input_counter.ts";
import type { InputTemplate } from "../../../../src/load/dataset/conversations/input_template.ts";
import { ChatTemplate } from "../../../../src/load/dataset/tokenizers/chat_template.ts";
import {
  fileTokenizer,
  readTokenizerFiles,
} from "../../../../src/load/dataset/tokenizers/file_tokenizer.ts";
import { AGENT_BODY } from "../../../support/agent_bodies.ts";

const FILES = await readTokenizerFiles("fixtures/agents/tok_bytes");
/** A token for each byte. */
const TOKENIZER = fileTokenizer(FILES);
const TEMPLATE = new ChatTemplate(FILES);

const bytes = (text: string): number => new TextEncoder().encode(text).length;

const TOOLS = [{
  "type": "function",
  "function": { "name": "read", "description": "Reads", "parameters": { "type": "object" } },
}];
const CALL = { "id": "1", "type": "function", "function": { "name": "read", "arguments": "{}" } };
const BODY = {
  "messages": [
    { "role": "user", "content": "Go" },
    { "role": "assistant", "content": null, "tool_calls": [CALL] },
    { "role": "tool", "tool_call_id": "1", "content": "done" },
  ],
  "tools": TOOLS,
};

const counter = (applied?: InputTemplate, type = chat) =>
  new InputCounter(type, TOKENIZER, applied);

Deno.test("InputCounter counts tools, calls and results by the joined texts", () => {
  const { tokens, parts } = counter().count(BODY, false);
  assert.equal(tokens, bytes('read Reads {"type":"object"} Go read {} done'));
  const expected = { "user": 2, "tool_calls": 4 + 2, "tool_results": 4, "tools": 4 + 5 + 17 };
  assert.deepEqual(
    Object.fromEntries(BODY_PARTS.map((part, at) => [part, parts?.[at]])),
    { "system": 0, "assistant": 0, "reasoning": 0, "salt": 0, ...expected },
  );
});

Deno.test("InputCounter counts the same session in every API", () => {
  const anthropic = counter(undefined, messages).count({
    "tools": [{ "name": "read", "description": "Reads", "input_schema": { "type": "object" } }],
    "system": "Be brief",
    "messages": [
      { "role": "user", "content": "Go" },
      { "role": "assistant", "content": [{ "type": "tool_use", "name": "read", "input": {} }] },
      { "role": "user", "content": [{ "type": "tool_result", "content": "done" }] },
    ],
  }, false);
  const openai = counter(undefined, responses).count({
    "tools": [{
      "type": "function",
      "name": "read",
      "description": "Reads",
      "parameters": { "type": "object" },
    }],
    "instructions": "Be brief",
    "input": [
      { "role": "user", "content": "Go" },
      { "type": "function_call", "name": "read", "arguments": "{}" },
      { "type": "function_call_output", "output": "done" },
    ],
  }, false);
  assert.equal(openai.tokens, bytes('read Reads {"type":"object"} Be brief Go read {} done'));
  assert.deepEqual(anthropic, openai);
});

Deno.test("InputCounter renders tools with the template where the body has some", () => {
  const rendered = `<tools>${JSON.stringify(TOOLS)}</tools>`.replaceAll('":', '": ')
    .replaceAll(',"', ', "');
  const messages =
    "<user>Go</user><assistant><call>read({})</assistant><tool>done</tool><assistant>";
  for (const isForAll of [true, false]) {
    const applied = { template: TEMPLATE, isForAll };
    assert.equal(counter(applied).count(BODY, false).tokens, bytes(rendered + messages));
    const plain = { "messages": [{ "role": "user", "content": "Go" }] };
    const expected = isForAll ? bytes("<user>Go</user><assistant>") : 2;
    assert.deepEqual(counter(applied).count(plain, false), { tokens: expected, parts: undefined });
  }
});

Deno.test("InputCounter adds tools by their texts where the template does not render them", () => {
  const source = "{% for m in messages %}[{{ m.content or '' }}]{% endfor %}";
  const template = new ChatTemplate({
    ...FILES,
    config: JSON.stringify({ "chat_template": source }),
  });
  const { tokens } = counter({ template, isForAll: true }).count(BODY, false);
  assert.equal(tokens, bytes("[Go][][done]") + bytes('read Reads {"type":"object"}'));
});

Deno.test("InputCounter: turns and replies of a session add up to its whole body", () => {
  for (
    const applied of [undefined, { template: TEMPLATE, isForAll: true }, {
      template: TEMPLATE,
      isForAll: false,
    }]
  ) {
    const session = counter(applied);
    session.beginConversation();
    const [user, assistant, tool] = BODY.messages;
    const first = session.count({ "messages": [user], "tools": TOOLS }, false);
    const later = session.count({ "messages": [tool], "tools": TOOLS }, true);
    // What the reply itself is counted as: the texts of its call.
    const reply = applied === undefined ? bytes("read {}") : bytes("<call>read({})");
    const whole = counter(applied).count(
      { "messages": [user, assistant, tool], "tools": TOOLS },
      false,
    );
    assert.equal(first.tokens + reply + (session.replyOverhead ?? 0) + later.tokens, whole.tokens);
  }
});

Deno.test("InputCounter: the parts of any body and what is between them are its tokens", () => {
  fc.assert(fc.property(AGENT_BODY, (body) => {
    const { tokens, parts } = counter().count(body, false);
    const texts = chat.inputTexts(body);
    assert.equal(tokens, bytes(texts.join(" ")));
    if (parts === undefined) return;
    const sum = parts.reduce((a, b) => a + b, 0);
    assert.equal(sum + Math.max(0, texts.length - 1), tokens);
  }));
});
