import assert from "node:assert/strict";
import { resolveModelSelection } from "../../../src/config/plan/model_selection_plan.ts";
import { PROFILE_OPTIONS } from "../../../src/config/options/profile/profile_options.ts";
import { resolveOptions } from "../../../src/config/options/resolve_options.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";

const plan = (options: { modelSelectionStrategy?: string; modelWeights?: string[] }) =>
  resolveModelSelection(
    resolveOptions(PROFILE_OPTIONS, options as Parameters<typeof resolveOptions>[1]) as Parameters<
      typeof resolveModelSelection
    >[0],
    3,
  );

Deno.test("resolveModelSelection makes shares of weights", () => {
  assert.equal(plan({}), undefined);
  assert.deepEqual(plan({ modelSelectionStrategy: "random" }), { strategy: "random" });
  assert.deepEqual(plan({ modelSelectionStrategy: "sticky" }), { strategy: "sticky" });
  assert.deepEqual(
    plan({ modelSelectionStrategy: "weighted", modelWeights: ["2, .5", "1.5"] }),
    { strategy: "weighted", weights: [0.5, 0.125, 0.375] },
  );
});

Deno.test("resolveModelSelection refuses weights that do not fit", () => {
  const rows: readonly (readonly [options: Parameters<typeof plan>[0], message: RegExp])[] = [
    [{ modelSelectionStrategy: "weighted" }, /weighted needs --model-weights/],
    [{ modelWeights: ["1,1,1"] }, /Needs --model-selection-strategy weighted/],
    [{ modelSelectionStrategy: "weighted", modelWeights: ["1,2"] }, /each of the 3 models: got 2/],
    [{ modelSelectionStrategy: "weighted", modelWeights: ["1,-2,1"] }, /got "-2"/],
    [{ modelSelectionStrategy: "weighted", modelWeights: ["1,,1"] }, /got ""/],
    [{ modelSelectionStrategy: "weighted", modelWeights: ["0,0,0"] }, /must be above 0/],
  ];
  for (const [options, message] of rows) {
    assert.throws(
      () => plan(options),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  }
});
