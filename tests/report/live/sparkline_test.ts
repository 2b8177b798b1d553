import assert from "node:assert/strict";
import { sparkline, sparkRows } from "../../../src/report/live/sparkline.ts";

Deno.test("sparkline begins at zero, ends at the largest value, and leaves a blank for none", () => {
  assert.equal(sparkline([0, 1, 2, 3, 4, NaN, 5, 6, 7, 8], 12), "  ▁▁▂▃▄ ▅▆▇█");
});

Deno.test("sparkline shows the newest values where there are more than columns", () => {
  assert.equal(sparkline([100, 4, 8], 2), "▄█");
  assert.equal(sparkline([1, 2], 0), "");
  assert.equal(sparkline([0, 0], 2), "▁▁");
});

Deno.test("sparkRows fill from below", () => {
  assert.deepEqual(sparkRows([2, 4, 8, NaN], 4, 2), ["  █ ", "▄██ "]);
});
