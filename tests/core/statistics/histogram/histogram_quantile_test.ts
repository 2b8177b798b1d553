import fc from "fast-check";
import assert from "node:assert/strict";
import { histogramQuantile } from "../../../../src/core/statistics/histogram/histogram_quantile.ts";
import { INTERPOLATION_ESTIMATOR } from "../../../../src/core/statistics/histogram/interpolation_estimator.ts";
import { estimateHistogramPercentiles } from "../../../../src/telemetry/timeseries/estimate_histogram_percentiles.ts";
import { readFixture } from "../../../support/fixtures.ts";
import { scrape, windowOf } from "../histogram_windows.ts";

interface QuantileCases {
  readonly q: readonly number[];
  readonly cases: readonly {
    readonly buckets: [string, number][];
    readonly values: readonly string[];
  }[];
}

const { q, cases } = readFixture<QuantileCases>("statistics/histogram_quantile.json");

cases.forEach(({ buckets, values }, index) => {
  Deno.test(`histogramQuantile equals Prometheus' own: case ${index}`, () => {
    const bounds = buckets.map(([le]) => Number(le.replace("+Inf", "Infinity")));
    const counts = buckets.map(([, count]) => Number(count));
    q.forEach((fraction, i) => {
      assertNear(histogramQuantile(bounds, counts, fraction), Number(values[i]));
    });
    // Without a last bucket Prometheus has none, while the count can stand in for it.
    if (bounds.at(-1) !== Infinity) return;
    const count = counts.at(-1) ?? 0;
    const percentiles = q.map((fraction) => fraction * 100);
    const estimates = estimateHistogramPercentiles(
      { buckets, sum: NaN, count },
      percentiles,
      "interpolation",
    );
    values.forEach((value, i) => assertNear(estimates?.[i] ?? NaN, Number(value)));
  });
});

function assertNear(actual: number, expected: number): void {
  if (Number.isNaN(expected)) assert.ok(Number.isNaN(actual), `${actual} is not NaN`);
  else {
    const error = Math.abs(actual - expected);
    assert.ok(error <= 1e-12 * Math.abs(expected), `${actual} is not ${expected}`);
  }
}

Deno.test("histogramQuantile of 0 is the lower end of the first bucket that holds anything", () => {
  assert.equal(histogramQuantile([1, 2, 4, Infinity], [0, 0, 3, 3], 0), 2);
  assert.equal(histogramQuantile([1, Infinity], [3, 3], 0), 0);
});

Deno.test("histogramQuantile takes counts that differ by rounding for equal", () => {
  const noisy = histogramQuantile([1, 2, 4, Infinity], [3, 3 + 1e-13, 6, 6], 0.75);
  assert.equal(noisy, histogramQuantile([1, 2, 4, Infinity], [3, 3, 6, 6], 0.75));
});

Deno.test("histogramQuantile is monotone in q and stays within the finite bounds", () => {
  const someBuckets = fc.array(fc.tuple(fc.double({ min: -10, max: 10, noNaN: true }), fc.nat(9)), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(fc.property(someBuckets, fc.nat(5), (list, above) => {
    const bounds = [...new Set(list.map(([bound]) => bound))].sort((a, b) => a - b);
    let total = 0;
    const counts = bounds.map((_, i) => total += list[i]?.[1] ?? 0);
    const last = bounds.at(-1) as number;
    const values = [0, 0.01, 0.3, 0.5, 0.9, 1].map((fraction) =>
      histogramQuantile([...bounds, Infinity], [...counts, total + above], fraction)
    );
    if (total + above === 0) return values.forEach((value) => assert.ok(Number.isNaN(value)));
    values.forEach((value, i) => {
      // Interpolation may err in the last bits.
      assert.ok(value <= last + 1e-12, `${value}`);
      assert.ok(value >= Math.min(0, bounds[0] as number) - 1e-12, `${value}`);
      assert.ok(value >= (values[i - 1] ?? -Infinity) - 1e-12, `${values}`);
    });
  }));
});

Deno.test("interpolation uses what the window added, and nothing else", () => {
  const window = windowOf(["1", "2", "+Inf"], [
    { cumulative: [100, 100, 100], sum: 50, count: 100 },
    { cumulative: [100, 104, 104], sum: 999, count: 104 },
    { cumulative: [100, 110, 110], sum: NaN, count: NaN },
  ]);
  assert.deepEqual(INTERPOLATION_ESTIMATOR.estimate(window, [50]), [1.5]);
});

Deno.test("interpolation has no percentile for nothing, or for one bucket", () => {
  for (const bounds of [["1", "2", "+Inf"], ["+Inf"], ["1", "2"]]) {
    const nothing = INTERPOLATION_ESTIMATOR.estimate(scrape(bounds, [[], []]), [50]);
    assert.equal(nothing, null);
  }
  assert.equal(INTERPOLATION_ESTIMATOR.estimate(scrape(["+Inf"], [[1, 2]]), [50]), null);
});

Deno.test("interpolation takes the count for the missing last bucket", () => {
  const beyond = scrape(["1", "2"], [[0.5, 1.5, 3, 4]]);
  assert.deepEqual(INTERPOLATION_ESTIMATOR.estimate(beyond, [25, 50, 75]), [1, 2, 2]);
  const within = scrape(["1", "2"], [[0.5, 1.2, 1.5, 1.8]]);
  assert.deepEqual(INTERPOLATION_ESTIMATOR.estimate(within, [25, 50, 100]), [1, 1 + 1 / 3, 2]);
});
