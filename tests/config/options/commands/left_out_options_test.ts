import assert from "node:assert/strict";
import { LEFT_OUT_OPTIONS } from "../../../../src/config/options/commands/left_out_options.ts";
import { flagOf, type OptionTable, specsOf } from "../../../../src/config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../../../src/config/options/commands/option_tables.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { resolveOptions } from "../../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";

Deno.test("what is left out is refused with the reason, and names only options that there are", () => {
  const flags = specsOf(PROFILE_COMMAND_OPTIONS).filter(({ refused }) => refused === undefined)
    .map(({ name }) => flagOf(name));
  for (const { name, kind, refused = "" } of specsOf(LEFT_OUT_OPTIONS as OptionTable)) {
    const value = kind === "flag" ? true : kind === "texts" ? ["1"] : "1";
    assert.throws(
      () => resolveOptions(LEFT_OUT_OPTIONS, { [name]: value }),
      (error) => error instanceof UsageError && error.message === `${flagOf(name)}: ${refused}`,
      name,
    );
    for (const [flag] of refused.matchAll(/--[a-z][\w-]*/g)) {
      assert.ok(flags.includes(flag), `${name}: ${flag}`);
    }
  }
  assert.doesNotThrow(() => resolveOptions(LEFT_OUT_OPTIONS, {}));
});

Deno.test("formats that are left out are refused with the reason, their families too", () => {
  const refused = (customDatasetType: string) => () =>
    resolveOptions(PROFILE_OPTIONS, { inputFile: "x", customDatasetType } as never);
  assert.throws(refused("baseten_trace"), /--custom-dataset-type: baseten-trace: Is not read/);
  assert.throws(refused("speed_bench_coding"), /speed-bench-coding: Is not read/);
  assert.throws(refused("speedbench"), /Must be one of single-turn/);
});
