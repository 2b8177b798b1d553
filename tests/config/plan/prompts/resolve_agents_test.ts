import assert from "node:assert/strict";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { resolveAgents } from "../../../../src/config/plan/prompts/resolve_agents.ts";

function agentsOf(format: string, hasAgents: boolean) {
  const given = { inputFile: "file.jsonl", onFailedCall: "continue" };
  const facts = { format, isTrace: false, hasTimestamps: false, notice: undefined, hasAgents };
  return resolveAgents(resolveOptions(PROFILE_OPTIONS, given), facts, chat);
}

Deno.test("resolveAgents refuses --on-failed-call continue where later calls need the reply", () => {
  assert.equal(agentsOf("weka-trace", true)?.onFailedCall, "continue");
  for (
    const [format, hasAgents, reason] of [
      ["dag-jsonl", true, "continue needs recorded replies"],
      ["multi-turn", false, "continue needs recorded agent sessions, .*, not multi-turn$"],
    ] as const
  ) {
    assert.throws(() => agentsOf(format, hasAgents), (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, new RegExp(`^--on-failed-call: ${reason}`));
      return true;
    });
  }
});
