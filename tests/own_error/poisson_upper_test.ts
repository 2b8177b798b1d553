import assert from "node:assert/strict";
import { poissonUpper } from "../../src/own_error/poisson_upper.ts";

Deno.test("poissonUpper is the 97.5th percentile of the Poisson distribution", () => {
  // The probabilities, summed one by one.
  const expected: readonly (readonly [mean: number, upper: number])[] = [
    [0, 0],
    [0.025, 0],
    [0.026, 1],
    [0.2, 1],
    [1, 3],
    [5, 10],
    [20, 29],
    [100, 120],
    [400, 440],
  ];
  for (const [mean, upper] of expected) assert.equal(poissonUpper(mean), upper, `${mean}`);
});

Deno.test("poissonUpper goes on without a step where it is approximated", () => {
  assert.ok(Math.abs(poissonUpper(401) - poissonUpper(399)) <= 4);
  assert.ok(Math.abs(poissonUpper(10_000) - 10_197) <= 1);
});
