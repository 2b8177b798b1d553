import assert from "node:assert/strict";
import { otelMessages } from "../../../../src/load/sessions/formats/otel_messages.ts";

Deno.test("otelMessages keeps results of tools that return nothing", () => {
  const contentOf = (part: object): unknown => {
    const parts = [{ "type": "tool_call_response", "id": "a", ...part }];
    return otelMessages([{ "role": "tool", parts }])[0]?.["content"];
  };
  assert.equal(contentOf({ "response": null }), "null");
  assert.equal(contentOf({ "result": null }), "null");
  assert.equal(contentOf({ "result": { "ok": true } }), '{"ok":true}');
  assert.equal(contentOf({ "response": "" }), "");
  assert.equal(contentOf({}), "");
});
