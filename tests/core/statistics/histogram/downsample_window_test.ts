import assert from "node:assert/strict";
import { downsampleWindow } from "../../../../src/core/statistics/histogram/downsample_window.ts";

Deno.test("downsampleWindow keeps the first and the last row and spreads the others", () => {
  const length = 101;
  const window = {
    bounds: ["1", "+Inf"],
    upperBounds: Float64Array.of(1, Infinity),
    length,
    cumulative: Float64Array.from({ length: 2 * length }, (_, index) => Math.floor(index / 2)),
    sums: Float64Array.from({ length }, (_, row) => row / 10),
    counts: Float64Array.from({ length }, (_, row) => row),
  };
  const thinned = downsampleWindow(window, 11);
  assert.deepEqual([...thinned.counts], [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  assert.deepEqual([...thinned.cumulative.subarray(2, 6)], [10, 10, 20, 20]);
  assert.equal(thinned.sums.at(-1), 10);
  assert.equal(downsampleWindow(window, length), window);
});
