import assert from "node:assert/strict";
import { estimateHistogramPercentiles } from "../../../mod.ts";
import { parseBucketBound } from "../../../src/telemetry/prometheus/bucket_bound.ts";
import { HistogramSeries } from "../../../src/telemetry/timeseries/series.ts";

/** Every way to spell a bound, and ways that are none. */
const BOUNDS: readonly (readonly [le: string, bound: number | undefined])[] = [
  ["0", 0],
  ["1", 1],
  ["1.0", 1],
  ["+1", 1],
  [".5", 0.5],
  ["5.", 5],
  ["-2.5", -2.5],
  ["1e3", 1000],
  ["1E+03", 1000],
  ["1e-3", 0.001],
  ["+Inf", Infinity],
  ["Inf", Infinity],
  ["inf", Infinity],
  ["+infinity", Infinity],
  ["-Inf", -Infinity],
  ["-inf", -Infinity],
  ["-INFINITY", -Infinity],
  ["1e999", Infinity],
  ["-1e999", -Infinity],
  ["NaN", undefined],
  ["nan", undefined],
  ["-NaN", undefined],
  ["", undefined],
  [" 1", undefined],
  ["1 ", undefined],
  ["1_000", undefined],
  ["1,5", undefined],
  ["0x10", undefined],
  ["0x1p-2", undefined],
  ["0b1", undefined],
  ["1e", undefined],
  ["e3", undefined],
  [".", undefined],
  ["--1", undefined],
  ["in", undefined],
  ["infinit", undefined],
  ["fast", undefined],
  ["1".repeat(2000), undefined],
];

for (const [le, bound] of BOUNDS) {
  Deno.test(`parseBucketBound reads ${JSON.stringify(le.slice(0, 30))} as ${bound}`, () => {
    assert.equal(parseBucketBound(le), bound);
    const series = new HistogramSeries(
      { name: "h", type: "histogram", labels: [], description: "", unit: null },
      0,
      0,
    );
    assert.equal(series.bucket(le)?.upperBound, bound, "of a scraped series");
    const estimate = () =>
      estimateHistogramPercentiles({ buckets: [[le, 0]], sum: 0, count: 0 }, [50]);
    if (bound === undefined) assert.throws(estimate, /must be a number/);
    else assert.equal(estimate(), null);
  });
}

Deno.test("estimateHistogramPercentiles does not take the lowest bucket for the highest", () => {
  const estimate = (below: number, percentile: number) =>
    estimateHistogramPercentiles(
      { buckets: [["-Inf", below], ["1", 20], ["+Inf", 40]], sum: 40, count: 40 },
      [percentile],
      "interpolation",
    );
  assert.equal(estimate(15, 25), null, "the observation asked for has no finite value");
  assert.deepEqual(estimate(0, 25), [0.5], "an empty bucket says nothing");
});
