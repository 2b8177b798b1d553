import assert from "node:assert/strict";
import { templateMessages } from "../../../../src/load/dataset/conversations/template_messages.ts";

const call = (given: string) => ({
  "id": "1",
  "type": "function",
  "function": { "name": "read", "arguments": given },
});

Deno.test("templateMessages leaves out a content that is null, and parses arguments that are JSON", () => {
  const messages = [{
    "role": "assistant",
    "content": null,
    "tool_calls": [call('{"path":"a"}'), call("no JSON")],
  }];
  const [message] = templateMessages(messages, { readsParts: false });
  assert.deepEqual(Object.keys(message ?? {}), ["role", "tool_calls"]);
  const calls = message?.["tool_calls"] as ReturnType<typeof call>[];
  assert.deepEqual(calls.map((one) => one.function.arguments), [{ "path": "a" }, "no JSON"]);
});

Deno.test("templateMessages joins texts of parts, unless the template reads parts", () => {
  const content = [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }];
  const contentFor = (readsParts: boolean): unknown =>
    templateMessages([{ "role": "user", content }], { readsParts })[0]?.["content"];
  assert.equal(contentFor(false), "ab");
  assert.deepEqual(contentFor(true), content);
});
