import assert from "node:assert/strict";
import { longValue } from "../../../../src/client/endpoint/protocol/conversation_format.ts";

Deno.test("longValue finds the bytes of the first long value behind the messages", () => {
  const fields = {
    "system": "x".repeat(300),
    "messages": [{ "role": "user", "content": "y".repeat(300) }],
    "short": 1,
    "tools": [{ "name": "é".repeat(300) }],
    "näme": "after",
    "stop": ["z".repeat(300)],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(fields));
  const found = longValue({ messagesField: "messages" }, fields, bytes.length);
  assert.ok(found !== undefined);
  assert.equal(found.text, JSON.stringify(fields.tools));
  assert.equal(new TextDecoder().decode(bytes.subarray(found.start, found.end)), found.text);
  const { tools: _tools, stop: _stop, ...others } = fields;
  const { length } = new TextEncoder().encode(JSON.stringify(others));
  assert.equal(longValue({ messagesField: "messages" }, others, length), undefined);
});
