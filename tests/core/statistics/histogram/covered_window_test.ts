import assert from "node:assert/strict";
import { coveredWindow } from "../../../../src/core/statistics/histogram/covered_window.ts";
import type { HistogramWindow } from "../../../../src/core/statistics/histogram/histogram_window.ts";
import { windowOf } from "../histogram_windows.ts";

/** Rows of a histogram with one finite bound: below it, all, sum. */
function window(...rows: readonly (readonly [below: number, all: number, sum: number])[]) {
  return windowOf(
    ["1", "+Inf"],
    rows.map(([below, count, sum]) => ({
      cumulative: [below, count],
      sum,
      count,
    })),
  );
}

function countsOf({ counts }: HistogramWindow): number[] {
  return [...counts];
}

Deno.test("coveredWindow is the window where nothing fell", () => {
  const whole = window([3, 4, 9], [3, 4, 9], [5, 7, 12]);
  assert.deepEqual(coveredWindow(whole), { window: whole, isExact: true });
});

Deno.test("coveredWindow is what was counted since the last restart, from zero", () => {
  const covered = coveredWindow(
    window([0, 0, 0], [4, 9, 30], [1, 1, 0.5], [2, 3, 4], [0, 1, 2], [3, 5, 6]),
  );
  assert.equal(covered?.isExact, true);
  assert.deepEqual(countsOf(covered?.window as HistogramWindow), [0, 1, 5]);
});

Deno.test("coveredWindow sees a restart by a bucket or the sum alone", () => {
  for (const after of [[3, 9, 40], [4, 9, 2]] as const) {
    const covered = coveredWindow(window([0, 0, 0], [4, 9, 30], after, [5, 10, 41]));
    assert.deepEqual(countsOf(covered?.window as HistogramWindow), [0, 9, 10]);
  }
});

Deno.test("coveredWindow takes sums that differ in their last digits for equal", () => {
  const whole = window([0, 0, 0], [1, 3, 0.1 + 0.2], [1, 3, 0.3], [2, 4, 0.9]);
  assert.equal(coveredWindow(whole)?.window, whole);
});

Deno.test("coveredWindow of a reference that is not zero is no more than the difference", () => {
  const covered = coveredWindow(window([1, 2, 3], [4, 9, 30], [1, 1, 0.5], [3, 5, 6]));
  assert.equal(covered?.isExact, false);
  assert.deepEqual(countsOf(covered?.window as HistogramWindow), [2, 5]);
  assert.equal(coveredWindow(window([1, 2, 3], [4, 9, 30], [1, 1, 0.5])), null);
});
