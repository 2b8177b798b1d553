import assert from "node:assert/strict";
import { canonicalArguments } from "../../../src/config/options/canonical_arguments.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";

Deno.test("canonicalArguments leaves out an option without the value that it may be without", () => {
  const of = (...args: string[]) => canonicalArguments(args, PROFILE_COMMAND_OPTIONS);
  assert.deepEqual(of("--gpu_telemetry", "--dry-run"), ["--dry-run"]);
  assert.deepEqual(of("--dry-run", "--gpu-telemetry"), ["--dry-run"]);
  assert.deepEqual(of("--gpu-telemetry", "node1:9400", "-v"), [
    "--gpu-telemetry",
    "node1:9400",
    "-v",
  ]);
});
