/** What holds for every estimator, on any window however broken. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { HISTOGRAM_ESTIMATORS } from "../../../src/core/statistics/histogram/histogram_estimators.ts";
import { histogramTotals } from "../../../src/core/statistics/histogram/histogram_totals.ts";
import type { HistogramWindow } from "../../../src/core/statistics/histogram/histogram_window.ts";
import { scrape, windowOf } from "./histogram_windows.ts";

const PERCENTILES = [0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100];

const someBounds = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom(0.001, 0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60),
    fc.double({ min: -100, max: 1e6, noNaN: true }),
  ),
  { minLength: 1, maxLength: 8 },
).map((bounds) =>
  [...new Set(bounds.map((bound) => bound === 0 ? 0 : bound))].sort((a, b) => a - b)
);

/** A window as a well-behaved server makes it. */
const honestWindow = fc.tuple(
  someBounds,
  fc.array(
    fc.array(
      fc.oneof(
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.double({ min: -200, max: 2e6, noNaN: true }),
        fc.constantFrom(0, 0.1, 1, 5),
      ),
      { maxLength: 6 },
    ),
    { minLength: 1, maxLength: 25 },
  ),
).map(([bounds, intervals]) => {
  // Nobody observes negative values in a histogram whose bounds are positive.
  const first = bounds[0] as number;
  const observed = intervals.map((values) => values.map((v) => first > 0 ? Math.abs(v) : v));
  return scrape([...bounds.map(String), "+Inf"], observed);
});

/** A window with torn sums, resets, gaps, nonsense. */
const brokenWindow = fc.tuple(
  honestWindow,
  fc.array(
    fc.tuple(
      fc.nat(30),
      fc.constantFrom("sum", "bucket", "count", "row"),
      fc.oneof(
        fc.constantFrom(NaN, Infinity, -Infinity, 0, -1, 1e300, 1e-300),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      ),
    ),
    { maxLength: 8 },
  ),
).map(([window, damages]) => {
  const { upperBounds, length } = window;
  const [cumulative, sums, counts] = [window.cumulative, window.sums, window.counts].map((column) =>
    column.slice()
  ) as [Float64Array, Float64Array, Float64Array];
  for (const [place, part, value] of damages) {
    const row = place % length;
    const start = row * upperBounds.length;
    if (part === "sum") sums[row] = value;
    else if (part === "count") counts[row] = value;
    else if (part === "bucket") cumulative[start + place % upperBounds.length] = value;
    else {
      // Everything from this row on counts from zero again.
      for (let later = row; later < length; later++) {
        sums[later] = (sums[later] as number) - (sums[row] as number);
        counts[later] = (counts[later] as number) - (counts[row] as number);
      }
    }
  }
  return { ...window, cumulative, sums, counts };
});

function assertSound(window: HistogramWindow, estimate: number[] | null): void {
  if (estimate === null) return;
  assert.equal(estimate.length, PERCENTILES.length);
  const first = window.upperBounds[0] as number;
  estimate.forEach((value, i) => {
    assert.ok(Number.isFinite(value), `p${PERCENTILES[i]} is ${value}`);
    const before = estimate[i - 1] ?? value;
    // Interpolation may err in the last bit between nearly equal neighbours.
    assert.ok(value >= before - Math.abs(before) * 1e-12 - 1e-300, `${estimate} is out of order`);
    if (first > 0) assert.ok(value >= 0, `p${PERCENTILES[i]} is ${value}`);
  });
}

for (const [name, { estimate }] of HISTOGRAM_ESTIMATORS) {
  Deno.test(`${name}: percentiles are finite and in order on any window`, () => {
    fc.assert(
      fc.property(brokenWindow, (window) => assertSound(window, estimate(window, PERCENTILES))),
      { numRuns: 400 },
    );
  });

  Deno.test(`${name}: percentiles lie in the bucket that holds their rank`, () => {
    fc.assert(
      fc.property(honestWindow, (window) => {
        const result = estimate(window, PERCENTILES);
        assertSound(window, result);
        const totals = histogramTotals(window);
        if (result === null || totals === null) return;
        const { upperBounds, cumulative, count } = totals;
        PERCENTILES.forEach((p, i) => {
          const value = result[i] as number;
          // Prometheus counts ranks from 0 to n, numpy from 1 to n: one apart at most.
          const rank = p / 100 * count;
          const lowest = cumulative.findIndex((at) => at >= rank - 1 && at > 0);
          const highest = cumulative.findIndex((at) => at >= rank + 1);
          // Prometheus says the last finite bound for what lies above it.
          const lower = Math.min(
            upperBounds[lowest - 1] ?? -Infinity,
            upperBounds.at(-2) as number,
          );
          const upper = upperBounds[highest] ?? Infinity;
          const slack = 1e-9 * Math.abs(value) + 1e-300;
          assert.ok(value >= lower - slack, `p${p} is ${value}, below ${lower}`);
          assert.ok(value <= upper + slack, `p${p} is ${value}, above ${upper}`);
        });
      }),
      { numRuns: 400 },
    );
  });

  Deno.test(`${name}: scrapes in which nothing happened change nothing`, () => {
    fc.assert(fc.property(honestWindow, fc.nat(), (window, place) => {
      const width = window.upperBounds.length;
      const repeated = 1 + place % (window.length - 1);
      const rows = Array.from({ length: window.length }, (_, row) => ({
        cumulative: [...window.cumulative.subarray(row * width, (row + 1) * width)],
        sum: window.sums[row] as number,
        count: window.counts[row] as number,
      }));
      const longer = windowOf(window.bounds, [
        ...rows.slice(0, repeated + 1),
        ...rows.slice(repeated),
      ]);
      assert.deepEqual(estimate(longer, PERCENTILES), estimate(window, PERCENTILES));
    }));
  });

  Deno.test(`${name}: what was counted before the window changes nothing but the last digits`, () => {
    fc.assert(fc.property(honestWindow, fc.nat(1000), (window, before) => {
      const width = window.upperBounds.length;
      const shifted = {
        ...window,
        cumulative: window.cumulative.map((count, i) => count + before * (1 + i % width)),
        counts: window.counts.map((count) => count + before * width),
      };
      assert.deepEqual(estimate(shifted, PERCENTILES), estimate(window, PERCENTILES));
    }));
  });

  Deno.test(`${name}: nothing is known of a window without observations`, () => {
    assert.equal(estimate(scrape(["1", "2", "+Inf"], [[], []]), PERCENTILES), null);
    assert.equal(estimate(scrape(["+Inf"], [[]]), PERCENTILES), null);
    const { bounds, upperBounds } = windowOf([], []);
    const none = new Float64Array(2);
    const empty = { bounds, upperBounds, length: 2, cumulative: none, sums: none, counts: none };
    assert.equal(estimate(empty, PERCENTILES), null);
  });
}

Deno.test("interpolation does not depend on where the window is cut into intervals", () => {
  const estimator = HISTOGRAM_ESTIMATORS.get("interpolation");
  fc.assert(fc.property(honestWindow, fc.array(fc.boolean()), (window, kept) => {
    const width = window.upperBounds.length;
    const rows = Array.from({ length: window.length }, (_, row) => row)
      .filter((row) => row === 0 || row === window.length - 1 || kept[row] === true);
    const coarser = windowOf(
      window.bounds,
      rows.map((row) => ({
        cumulative: [...window.cumulative.subarray(row * width, (row + 1) * width)],
        sum: window.sums[row] as number,
        count: window.counts[row] as number,
      })),
    );
    assert.deepEqual(
      estimator?.estimate(coarser, PERCENTILES),
      estimator?.estimate(window, PERCENTILES),
    );
  }));
});
