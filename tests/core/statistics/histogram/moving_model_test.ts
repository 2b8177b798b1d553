import { randomLogNormal } from "d3-random";
import assert from "node:assert/strict";
import { CELLS } from "../../../../src/core/statistics/histogram/bucket_density.ts";
import { estimateDesignEffect } from "../../../../src/core/statistics/histogram/design_effect.ts";
import { histogramIntervals } from "../../../../src/core/statistics/histogram/histogram_intervals.ts";
import { movingModel } from "../../../../src/core/statistics/histogram/moving_model.ts";
import { RelativeShape } from "../../../../src/core/statistics/histogram/relative_shape.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { scrape } from "../histogram_windows.ts";

const BOUNDS = ["0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"];

/** Intervals of 30 log-normal observations with a median that may move. */
function dataOf(medianAt: (interval: number) => number, sigma: number, seed: number, size = 30) {
  const random = randomStream(seed, "moving");
  const intervals = Array.from(
    { length: 200 },
    (_, i) =>
      Array.from({ length: size }, randomLogNormal.source(random)(Math.log(medianAt(i)), sigma)),
  );
  return histogramIntervals(scrape(BOUNDS, intervals));
}

const sawtooth = (i: number) => 0.3 * (1 + (i % 40) / 8);

Deno.test("movingModel is none where the distribution is the same all along", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    for (const size of [1, 3, 30]) {
      const data = dataOf(() => 0.6, 0.5, seed, size);
      assert.equal(movingModel(data, estimateDesignEffect(data)), null);
    }
  }
});

Deno.test("movingModel is none with one bucket, few intervals, or values below zero", () => {
  const of = (bounds: readonly string[], intervals: readonly number[][]) => {
    const data = histogramIntervals(scrape(bounds, intervals));
    return movingModel(data, estimateDesignEffect(data));
  };
  assert.equal(of(["10", "20", "+Inf"], Array.from({ length: 40 }, (_, i) => [1 + i % 8])), null);
  assert.equal(of(["1", "+Inf"], [[0.5, 0.5], [3, 3], [0.4, 0.4]]), null);
  const signed = Array.from({ length: 40 }, (_, i) => Array(20).fill(i % 20 - 10));
  assert.equal(of(["-5", "0", "5", "+Inf"], signed), null);
});

Deno.test("movingModel finds how narrow the observations of one interval are", () => {
  const data = dataOf(sawtooth, 0.05, 6);
  const model = movingModel(data, estimateDesignEffect(data));
  assert.ok(model !== null);
  // The bucket from 0.5 to 1: its middle is far from the ends of so narrow a distribution.
  const bucket = data.buckets.findIndex(({ upper }) => upper === 1);
  const { intervals = new Int32Array() } = data.buckets[bucket] ?? {};
  intervals.forEach((interval, position) => {
    const median = sawtooth(interval);
    if (median < 0.65 || median > 0.85) return;
    const mean = model.means[bucket]?.[position] as number;
    const deviation = Math.sqrt(model.variances[bucket]?.[position] as number);
    assert.ok(Math.abs(mean / median - 1) < 0.03, `${mean} for ${median}`);
    assert.ok(deviation / mean > 0.03 && deviation / mean < 0.08, `${deviation / mean}`);
    const density = model.density(bucket, position);
    assert.equal(density.length, CELLS);
    assert.ok(Math.abs(density.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
  });
});

Deno.test("RelativeShape explains the numbers better the longer it is fitted", () => {
  const data = dataOf(sawtooth, 0.2, 7);
  const shape = new RelativeShape(data, Float64Array.from(data.sums, (sum) => sum / 30));
  let before = shape.logLikelihood();
  for (const iterations of [1, 3]) {
    shape.fit(iterations);
    const now = shape.logLikelihood();
    assert.ok(now > before, `${now} after ${before}`);
    before = now;
  }
});
