import assert from "node:assert/strict";
import { mockOptionsOf } from "../../../src/cli/commands/mock_command.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";

Deno.test("mockOptionsOf takes whole numbers of tool calls, and fractions below 1", async () => {
  for (const toolCalls of [0, 0.5, 1, 3]) {
    assert.equal((await mockOptionsOf({ toolCalls })).toolCalls, toolCalls);
  }
  await assert.rejects(
    () => mockOptionsOf({ toolCalls: 1.5 }),
    (error) => error instanceof UsageError && error.message.includes("got 1.5"),
  );
});
