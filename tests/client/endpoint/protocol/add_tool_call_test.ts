import assert from "node:assert/strict";
import { addToolCall } from "../../../../src/client/endpoint/protocol/add_tool_call.ts";
import type { ToolCall } from "../../../../src/client/endpoint/protocol/delta.ts";

Deno.test("addToolCall joins the pieces of a call, whose ID may be in each of them", () => {
  const calls: ToolCall[] = [];
  for (const [index, argumentsText] of [[0, "{"], [1, "[]"], [0, "}"]] as const) {
    addToolCall(calls, { index, id: `call_${index}`, name: "", argumentsText });
  }
  assert.deepEqual(calls.map(({ id, argumentsText }) => [id, argumentsText]), [
    ["call_0", "{}"],
    ["call_1", "[]"],
  ]);
});
