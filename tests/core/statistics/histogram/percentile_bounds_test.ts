import fc from "fast-check";
import assert from "node:assert/strict";
import {
  boundHistogramPercentiles,
  estimateHistogramPercentiles,
} from "../../../../src/telemetry/timeseries/estimate_histogram_percentiles.ts";
import { INTERVAL_ESTIMATOR } from "../../../../src/core/statistics/histogram/interval_estimator.ts";
import { percentileBounds } from "../../../../src/core/statistics/histogram/percentile_bounds.ts";
import type { HistogramWindow } from "../../../../src/core/statistics/histogram/histogram_window.ts";
import { percentile } from "../../../../src/core/statistics/percentile.ts";
import { scrape, windowOf } from "../histogram_windows.ts";

const PERCENTILES = [0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100];

/** Bounds of buckets, and what was observed between scrapes; the first interval is the reference. */
const observed = fc.tuple(
  fc.uniqueArray(fc.double({ min: 0.001, max: 100, noNaN: true }), { minLength: 1, maxLength: 8 }),
  fc.array(
    fc.array(
      fc.oneof(
        fc.double({ min: 0, max: 150, noNaN: true }),
        fc.double({ min: 0.18, max: 0.2, noNaN: true }),
        fc.constantFrom(0, 0.1, 0.3, 50),
      ),
      { maxLength: 7 },
    ),
    { minLength: 2, maxLength: 12 },
  ),
).map(([bounds, intervals]) => {
  const [before = [], ...after] = intervals;
  const texts = [...bounds.sort((a, b) => a - b).map(String), "+Inf"];
  const rows = scrape(texts, [before, ...after]);
  const values = Float64Array.from(after.flat()).sort();
  return { window: withoutFirstRow(rows), values };
}).filter(({ values }) => values.length > 0);

function withoutFirstRow(window: HistogramWindow): HistogramWindow {
  const width = window.upperBounds.length;
  return {
    ...window,
    length: window.length - 1,
    cumulative: window.cumulative.slice(width),
    sums: window.sums.slice(1),
    counts: window.counts.slice(1),
  };
}

function boundsOf(window: HistogramWindow, percentiles = PERCENTILES) {
  const bounds = percentileBounds(window, percentiles);
  assert.ok(bounds !== null);
  return bounds;
}

Deno.test("percentileBounds hold the exact percentiles of what was observed", () => {
  fc.assert(
    fc.property(observed, ({ window, values }) => {
      boundsOf(window).forEach(([lower, upper], i) => {
        const exact = percentile(values, PERCENTILES[i] as number);
        assert.ok(
          lower <= exact && exact <= upper,
          `p${PERCENTILES[i]}: ${lower} ${exact} ${upper}`,
        );
      });
    }),
    { numRuns: 2000 },
  );
});

Deno.test("percentileBounds hold them without sums, counts or a last bucket", () => {
  fc.assert(
    fc.property(observed, fc.constantFrom("sums", "counts", "+Inf"), ({ window, values }, part) => {
      const none = window.sums.map(() => NaN);
      const width = window.upperBounds.length;
      const cut = part !== "+Inf" ? { ...window, [part]: none } : windowOf(
        window.bounds.slice(0, -1),
        Array.from({ length: window.length }, (_, row) => ({
          cumulative: [...window.cumulative.subarray(row * width, (row + 1) * width - 1)],
          sum: window.sums[row] as number,
          count: window.counts[row] as number,
        })),
      );
      boundsOf(cut).forEach(([lower, upper], i) => {
        const exact = percentile(values, PERCENTILES[i] as number);
        assert.ok(
          lower <= exact && exact <= upper,
          `p${PERCENTILES[i]}: ${lower} ${exact} ${upper}`,
        );
      });
    }),
    { numRuns: 500 },
  );
});

Deno.test("percentileBounds rise with the percentile, and lie in the buckets", () => {
  fc.assert(fc.property(observed, ({ window }) => {
    let before: readonly [number, number] = [-Infinity, -Infinity];
    for (const bounds of boundsOf(window)) {
      const slack = 1e-9 * Math.abs(bounds[0]);
      assert.ok(bounds[0] >= before[0] - slack && bounds[1] >= before[1] - slack);
      before = bounds;
    }
  }));
});

Deno.test("interval lies within the certain bounds", () => {
  fc.assert(
    fc.property(observed, ({ window }) => {
      const bounds = boundsOf(window);
      INTERVAL_ESTIMATOR.estimate(window, PERCENTILES)?.forEach((estimate, i) => {
        const [lower, upper] = bounds[i] as readonly [number, number];
        assert.ok(estimate >= lower && estimate <= upper, `${lower} ${estimate} ${upper}`);
      });
    }),
    { numRuns: 1000 },
  );
});

Deno.test("percentileBounds are those of the bucket where the sum says nothing", () => {
  const window = scrape(["0.1", "0.25", "1", "+Inf"], [[0.05, 0.2, 0.2, 0.7, 0.9, 3]]);
  const none = { ...window, sums: window.sums.map(() => NaN) };
  assert.deepEqual(boundsOf(none, [0, 30, 50, 99, 100]), [
    [0, 0.1],
    [0.1, 0.25],
    // Between the third and the fourth of six.
    [0.1, 1],
    [0.25, Infinity],
    [1, Infinity],
  ]);
});

Deno.test("percentileBounds are limited by the sum", () => {
  const near = (actual: readonly number[] | undefined, expected: readonly number[]) =>
    expected.forEach((value, i) => {
      assert.ok(Math.abs((actual?.[i] as number) - value) < 1e-9, `${actual} for ${expected}`);
    });
  // Sixteen observations of 0.4 ms in all: none is larger than that, and half are below an eighth.
  const tiny = scrape(["0.5", "1", "+Inf"], [Array<number>(16).fill(0.000025)]);
  const [p0, p50, p100] = boundsOf(tiny, [0, 50, 100]);
  near(p0, [0, 0.000025]);
  near(p50, [0, 0.0004 / 8]);
  near(p100, [0.000025, 0.0004]);
  // One observation is what the sum says, also beyond the last bound.
  near(boundsOf(scrape(["0.5", "+Inf"], [[0.2]]), [50])[0], [0.2, 0.2]);
  near(boundsOf(scrape(["0.5", "+Inf"], [[7]]), [99])[0], [7, 7]);
  // Nine at most of 1 s leave at least 11 s for the tenth, which is all that lies beyond.
  const outlier = scrape(["1", "+Inf"], [[...Array<number>(9).fill(0.5), 15.5]]);
  near(boundsOf(outlier, [100])[0], [11, 20]);
});

Deno.test("percentileBounds do not trust sums that a scrape tore from their counts", () => {
  const window = scrape(["1", "2", "+Inf"], [[1.5], [1.5], [1.5], [0.5]]);
  // The third scrape sees an observation in the sum that it does not see in its bucket.
  const sums = window.sums.map((sum, row) => row === 2 ? sum + 1.5 : sum);
  assert.deepEqual(boundsOf({ ...window, sums }, [0, 100]), [[0, 1], [1, 2]]);
  assert.notDeepEqual(boundsOf(window, [0, 100]), [[0, 1], [1, 2]]);
});

Deno.test("percentileBounds take a sum that fell for negative observations", () => {
  const window = scrape(["1", "2", "+Inf"], [[0.5], [-3], [1.5]]);
  const [[lowest] = [NaN]] = boundsOf(window, [0]);
  assert.ok(lowest <= -3, `${lowest}`);
  const none = { ...window, sums: window.sums.map(() => NaN) };
  assert.deepEqual(boundsOf(none, [0]), [[0, 1]]);
});

Deno.test("percentileBounds know of a first bound at zero no lower end", () => {
  const window = scrape(["0", "1", "+Inf"], [[-2, 0.5, 0.5, 3]]);
  assert.deepEqual(boundsOf(window, [0]), [[-Infinity, 0]]);
});

Deno.test("percentileBounds are those of what was counted since a restart, if nothing was before", () => {
  const rows = (window: HistogramWindow) =>
    Array.from({ length: window.length }, (_, row) => ({
      cumulative: [...window.cumulative.subarray(row * 3, row * 3 + 3)],
      sum: window.sums[row] as number,
      count: window.counts[row] as number,
    }));
  const bounds = ["1", "2", "+Inf"];
  const before = rows(scrape(bounds, [[0.5, 0.5], [0.5, 0.5]]));
  const after = rows(scrape(bounds, [[1.5, 1.6, 1.7]])).slice(1);
  const fresh = windowOf(bounds, [...before, ...after]);
  assert.deepEqual(boundsOf(fresh, [50])[0]?.map(Math.round), [1, 2]);
  assert.ok((boundsOf(fresh, [50])[0]?.[0] as number) >= 1);
  // Of a reference that is not zero, nobody knows which observations the difference counts.
  assert.equal(percentileBounds(windowOf(bounds, [...before.slice(1), ...after]), [50]), null);
});

Deno.test("percentileBounds are none where nothing was counted", () => {
  assert.equal(percentileBounds(scrape(["1", "+Inf"], [[], []]), [50]), null);
});

Deno.test("boundHistogramPercentiles and estimateHistogramPercentiles agree on a plain histogram", () => {
  fc.assert(fc.property(observed, ({ window, values }) => {
    const width = window.upperBounds.length;
    const last = window.length - 1;
    const difference = (column: Float64Array, size: number, index: number) =>
      (column[last * size + index] as number) - (column[index] as number);
    const histogram = {
      buckets: window.bounds.map((le, i): [string, number] => [
        le,
        difference(window.cumulative, width, i),
      ]),
      sum: difference(window.sums, 1, 0),
      count: difference(window.counts, 1, 0),
    };
    const bounds = boundHistogramPercentiles(histogram, PERCENTILES);
    const estimates = estimateHistogramPercentiles(histogram, PERCENTILES, "interval");
    PERCENTILES.forEach((p, i) => {
      const [lower, upper] = bounds?.[i] as readonly [number, number];
      // The sum is the difference of two: it may miss the last digits of what was added.
      const slack = 1e-9 * (1 + (window.sums[last] as number));
      const exact = percentile(values, p);
      assert.ok(lower - slack <= exact && exact <= upper + slack, `${lower} ${exact} ${upper}`);
      const estimate = estimates?.[i] ?? exact;
      assert.ok(lower <= estimate && estimate <= upper, `${lower} ${estimate} ${upper}`);
    });
  }));
});

Deno.test("boundHistogramPercentiles refuses what is no percentage and no bound", () => {
  const histogram = (le: string) => ({
    buckets: [[le, 4]] as [string, number][],
    sum: 2,
    count: 4,
  });
  assert.throws(() => boundHistogramPercentiles(histogram("1"), [101]), /0 and 100: got 101/);
  assert.throws(() => boundHistogramPercentiles(histogram("fast"), [50]), RangeError);
});
