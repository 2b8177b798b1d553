import assert from "node:assert/strict";
import { judged, worstVerdict } from "../../../src/measurement/own_error/measurement_error.ts";

Deno.test("judged compares the farther bound with the least true value", () => {
  const cases: readonly (readonly [value: number, lower: number, upper: number, string])[] = [
    [100, 96, 100, "valid"],
    [100, 95, 100, "suspect"],
    [100, 99, 104, "valid"],
    [100, 99, 105, "suspect"],
    [100, 84, 100, "suspect"],
    [100, 83, 100, "invalid"],
    [100, 0, 100, "invalid"],
    [0, 0, 0, "valid"],
    [0, 0, 1, "invalid"],
  ];
  for (const [value, lower, upper, verdict] of cases) {
    assert.deepEqual(judged(value, { lower, upper }), { lower, upper, verdict });
  }
});

Deno.test("worstVerdict is the worst, and valid of none", () => {
  assert.equal(worstVerdict([]), "valid");
  assert.equal(worstVerdict(["valid", "suspect", "valid"]), "suspect");
  assert.equal(worstVerdict(["invalid", "suspect"]), "invalid");
});
