import fc from "fast-check";
import assert from "node:assert/strict";
import { randomNormal } from "d3-random";
import { estimateHistogramPercentiles } from "../../../../src/telemetry/timeseries/estimate_histogram_percentiles.ts";
import { INTERPOLATION_ESTIMATOR } from "../../../../src/core/statistics/histogram/interpolation_estimator.ts";
import { percentile } from "../../../../src/core/statistics/percentile.ts";
import { POLYNOMIAL_ESTIMATOR } from "../../../../src/core/statistics/histogram/polynomial_estimator.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { readFixture } from "../../../support/fixtures.ts";
import { scrape, windowOf } from "../histogram_windows.ts";

interface EstimatorCase {
  readonly style: string;
  readonly layout: string;
  readonly "bucket_deltas": Readonly<Record<string, number>>;
  readonly "total_sum": number;
  readonly "total_count": number;
  readonly "bucket_stats": Readonly<
    Record<string, {
      readonly mean: number;
      readonly variance: number | null;
      readonly "observation_count": number;
    }>
  >;
  readonly estimate: readonly number[] | null;
  readonly prometheus: readonly number[];
}

const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99];
const { cases } = readFixture<{ cases: readonly EstimatorCase[] }>(
  "server_metrics/functions/estimator.json",
);

/** Why AIPerf's figures for a case are not ours; null if they should be. */
function repairedDefect(item: EstimatorCase): string | null {
  const counts = Object.values(item.bucket_deltas);
  const total = Math.max(...counts);
  for (const [i, le] of Object.keys(item.bucket_deltas).entries()) {
    const count = (counts[i] as number) - (counts[i - 1] ?? 0);
    if (count > 0 && le !== "+Inf" && item.bucket_stats[le]?.variance === 0) {
      return "6, equal observations are spread over their bucket";
    }
    const scaled = count * 100_000 / total;
    if (total > 100_000 && count > 0 && scaled < (le === "+Inf" ? 100 : 1)) {
      return "11, scaling down loses rare observations";
    }
  }
  return null;
}

cases.forEach((item, index) => {
  const histogram = {
    buckets: Object.entries(item.bucket_deltas),
    sum: item.total_sum,
    count: item.total_count,
    learned: Object.fromEntries(
      Object.entries(item.bucket_stats).map(([le, { mean, variance, ...rest }]) => [
        le,
        { mean, variance, count: rest.observation_count },
      ]),
    ),
  };
  const defect = repairedDefect(item);
  const name = `${item.style} ${item.layout} ${index}`;

  if (defect === null) {
    Deno.test(`polynomial equals AIPerf: ${name}`, () => {
      const estimate = estimateHistogramPercentiles(histogram, PERCENTILES);
      assertAllNear(estimate, item.estimate, 1e-9);
    });
  } else {
    Deno.test(`polynomial does not repeat AIPerf's defect ${defect}: ${name}`, () => {
      const estimate = estimateHistogramPercentiles(histogram, PERCENTILES);
      assert.ok(estimate !== null && item.estimate !== null);
      const bounds = Object.keys(item.bucket_deltas).map((le) =>
        Number(le.replace("+Inf", "Infinity"))
      );
      const counts = Object.values(item.bucket_deltas);
      estimate.forEach((value, i) => {
        assert.ok(value >= (estimate[i - 1] ?? 0), "percentiles are in order");
        // The value lies in the bucket that holds its rank: this is what no repair may change.
        const rank = (PERCENTILES[i] as number) / 100 * (counts.at(-1) as number);
        const below = counts.findIndex((count) => count >= rank * (1 - 1e-3) - 1);
        const above = counts.findIndex((count) => count >= rank * (1 + 1e-3) + 1);
        assert.ok(value >= (bounds[below - 1] ?? 0), `${value} is below its bucket`);
        assert.ok(value <= (bounds[above] ?? Infinity), `${value} is above its bucket`);
      });
    });
  }

  Deno.test(`interpolation equals plain Prometheus: ${name}`, () => {
    const estimate = estimateHistogramPercentiles(histogram, PERCENTILES, "interpolation");
    assertAllNear(estimate, item.prometheus, 1e-12);
  });
});

Deno.test("most of AIPerf's cases are free of its defects", () => {
  assert.ok(cases.filter((item) => repairedDefect(item) === null).length >= 55);
});

function assertAllNear(
  actual: readonly number[] | null,
  expected: readonly number[] | null,
  tolerance: number,
): void {
  if (actual === null || expected === null) return assert.equal(actual, expected);
  assert.equal(actual.length, expected.length);
  expected.forEach((value, i) => {
    const error = Math.abs((actual[i] ?? NaN) - value);
    assert.ok(error <= tolerance * Math.abs(value), `${i}: ${actual[i]} is not ${value}`);
  });
}

function plain(buckets: Record<string, number>, sum: number) {
  return { buckets: Object.entries(buckets), sum, count: Math.max(...Object.values(buckets)) };
}

Deno.test("polynomial takes every infinite bound for the last one (defect 5)", () => {
  const expected = estimateHistogramPercentiles(plain({ "1.0": 6, "+Inf": 9 }, 12), PERCENTILES);
  for (const le of ["Inf", "inf", "Infinity", "1e999"]) {
    assert.deepEqual(
      estimateHistogramPercentiles(plain({ "1": 6, [le]: 9 }, 12), PERCENTILES),
      expected,
    );
  }
});

Deno.test("polynomial leaves equal observations equal (defect 6)", () => {
  // AIPerf gives 0.100 at p1 and 0.190 at p99.
  const window = scrape(["0.1", "0.25", "+Inf"], Array(50).fill([0.125, 0.125, 0.125]));
  for (const value of POLYNOMIAL_ESTIMATOR.estimate(window, PERCENTILES) ?? []) {
    assert.ok(Math.abs(value - 0.125) < 1e-12, `${value}`);
  }
});

Deno.test("polynomial learns nothing from after the window (defect 7)", () => {
  const bounds = ["0.1", "0.25", "+Inf"];
  const inside = Array.from({ length: 20 }, (_, i) => [0.12 + 0.001 * i]);
  const whole = scrape(bounds, [...inside, ...Array(500).fill([0.24])]);
  const window = { ...whole, length: inside.length + 1 };
  assert.deepEqual(
    POLYNOMIAL_ESTIMATOR.estimate(window, PERCENTILES),
    POLYNOMIAL_ESTIMATOR.estimate(scrape(bounds, inside), PERCENTILES),
  );
});

Deno.test("polynomial knows the width of a narrow distribution at a high rate (defect 10)", () => {
  const normal = randomNormal.source(randomStream(2, "narrow"))(0.15, 0.012);
  const intervals = Array.from({ length: 100 }, () => Array.from({ length: 40 }, normal));
  const estimate = POLYNOMIAL_ESTIMATOR.estimate(scrape(["0.1", "0.25", "+Inf"], intervals), [
    10,
    90,
  ]);
  const sorted = Float64Array.from(intervals.flat()).sort();
  const width = percentile(sorted, 90) - percentile(sorted, 10);
  // With the variance of the means, 40 times smaller, it would be 6 times narrower.
  const estimated = (estimate?.[1] ?? NaN) - (estimate?.[0] ?? NaN);
  assert.ok(estimated > 0.5 * width && estimated < 2 * width, `${estimated} for ${width}`);
});

Deno.test("polynomial keeps a rare outlier among millions where it was (defect 11)", () => {
  const learned = { "1.0": { mean: 0.5, variance: null, count: 10 } };
  const histogram = { ...plain({ "1.0": 2_000_000, "+Inf": 2_000_001 }, 1_000_500), learned };
  const [p50, p100] = estimateHistogramPercentiles(histogram, [50, 100]) ?? [];
  assert.ok(Math.abs((p50 ?? NaN) - 0.5) < 1e-3);
  // Scaled like a sum of many values it would be 25 s.
  assert.ok(Math.abs((p100 ?? NaN) - 500) < 1e-6, `${p100}`);
});

Deno.test("polynomial keeps a bucket with few of many observations (defect 11)", () => {
  const histogram = plain({ "0.1": 1, "1.0": 1, "10.0": 5_000_000, "+Inf": 5_000_000 }, 2.5e7);
  const [p0] = estimateHistogramPercentiles(histogram, [0]) ?? [];
  assert.ok(p0 !== undefined && p0 <= 0.1, `${p0}`);
});

Deno.test("polynomial interpolates without a sum, and counts without a count (defect 12)", () => {
  const window = scrape(["0.1", "0.25", "+Inf"], [[0.05, 0.2], [0.15, 0.4], [0.12]]);
  const none = window.sums.map(() => NaN);
  assert.deepEqual(
    POLYNOMIAL_ESTIMATOR.estimate({ ...window, sums: none }, PERCENTILES),
    INTERPOLATION_ESTIMATOR.estimate(window, PERCENTILES),
  );
  assert.deepEqual(
    POLYNOMIAL_ESTIMATOR.estimate({ ...window, counts: none }, PERCENTILES),
    POLYNOMIAL_ESTIMATOR.estimate(window, PERCENTILES),
  );
});

Deno.test("polynomial has no lower end for a bucket below zero (defect 17)", () => {
  const histogram = plain({ "-5": 4, "0": 8, "5": 12, "+Inf": 12 }, -36);
  const estimate = estimateHistogramPercentiles(histogram, [0, 20, 50, 80]);
  assert.ok(estimate !== null);
  const [p0 = NaN, p20 = NaN, p50 = NaN, p80 = NaN] = estimate;
  // AIPerf puts the first bucket between 0 and -5; it also refuses any sum below 0.
  assert.deepEqual([p0, p20], [-5, -5]);
  assert.ok(p50 >= -5 && p50 <= 0 && p80 >= 0 && p80 <= 5, `${estimate}`);
  const learned = { "-5": { mean: -7, variance: 0, count: 4 } };
  assert.deepEqual(estimateHistogramPercentiles({ ...histogram, learned }, [20]), [-7]);
});

Deno.test("polynomial has no percentiles for nothing, or a sum that cannot be", () => {
  const estimate = (buckets: Record<string, number>, sum: number) =>
    estimateHistogramPercentiles(plain(buckets, sum), [50]);
  assert.equal(estimate({ "1": 0, "+Inf": 0 }, 0), null);
  assert.equal(estimate({ "+Inf": 4 }, 2), null);
  assert.equal(estimate({ "1": 4, "+Inf": 4 }, -2), null);
  assert.equal(estimate({ "1": 4, "+Inf": 4 }, Infinity), null);
  assert.equal(estimateHistogramPercentiles({ buckets: [], sum: 1, count: 1 }, [50]), null);
  assert.deepEqual(estimate({ "1": 4, "+Inf": 4 }, 0), [0]);
});

Deno.test("polynomial has none for a histogram that was reset within the window", () => {
  const window = windowOf(["1", "+Inf"], [
    { cumulative: [5, 5], sum: 3, count: 5 },
    { cumulative: [2, 2], sum: 1, count: 2 },
  ]);
  assert.equal(POLYNOMIAL_ESTIMATOR.estimate(window, [50]), null);
});

Deno.test("estimateHistogramPercentiles takes bounds in any order and spelling", () => {
  const histogram = (buckets: [string, number][]) => ({ buckets, sum: 4.5, count: 8 });
  assert.deepEqual(
    estimateHistogramPercentiles(histogram([["+Inf", 8], ["1", 7], ["0.5", 3]]), PERCENTILES),
    estimateHistogramPercentiles(histogram([["5e-1", 3], ["1.0", 7], ["Inf", 8]]), PERCENTILES),
  );
});

Deno.test("estimateHistogramPercentiles refuses what is no percentage and no bound", () => {
  const histogram = plain({ "1": 4, "+Inf": 4 }, 2);
  assert.throws(() => estimateHistogramPercentiles(histogram, [101]), /0 and 100: got 101/);
  assert.throws(() => estimateHistogramPercentiles(histogram, [NaN]), RangeError);
  assert.throws(() => estimateHistogramPercentiles(plain({ "fast": 4 }, 2), [50]), /got "fast"/);
});

Deno.test("estimateHistogramPercentiles takes the larger count of two spellings of a bound", () => {
  const once = plain({ "1": 4, "+Inf": 6 }, 5);
  for (
    const buckets of [[["1", 4], ["+Inf", 6], ["Inf", 0]], [["-Inf", 0], ["+Inf", 6], ["1", 4]]]
  ) {
    assert.deepEqual(
      estimateHistogramPercentiles({ ...once, buckets: buckets as [string, number][] }, [
        10,
        50,
        90,
      ]),
      estimateHistogramPercentiles(once, [10, 50, 90]),
    );
  }
});

Deno.test("estimateHistogramPercentiles gives numbers in order or null for any histogram", () => {
  const someNumber = fc.oneof(
    fc.double(),
    fc.double({ min: 0, max: 1000, noNaN: true }),
    fc.constantFrom(0, 1e300, -1, NaN, Infinity),
  );
  const someBound = fc.oneof(
    fc.constantFrom("-5", "0", "0.1", "1", "1.0", "2.5", "10", "+Inf", "Inf", "1e+06"),
    fc.double({ noNaN: true }).map(String),
  );
  const someHistogram = fc.record({
    buckets: fc.array(fc.tuple(someBound, someNumber), { maxLength: 6 }),
    sum: someNumber,
    count: someNumber,
    learned: fc.dictionary(
      someBound,
      fc.record({
        mean: someNumber,
        variance: fc.option(someNumber),
        count: someNumber,
      }),
      { maxKeys: 3, noNullPrototype: true },
    ),
  });
  const method = fc.constantFrom("polynomial" as const, "interpolation" as const);
  fc.assert(
    fc.property(someHistogram, method, (histogram, method) => {
      const estimate = estimateHistogramPercentiles(histogram, [0, 1, 50, 99, 100], method);
      estimate?.forEach((value, i) => {
        assert.ok(Number.isFinite(value), `${estimate}`);
        const before = estimate[i - 1] ?? value;
        assert.ok(value >= before - Math.abs(before) * 1e-12 - 1e-300, `${estimate}`);
      });
    }),
    { numRuns: 500 },
  );
});
