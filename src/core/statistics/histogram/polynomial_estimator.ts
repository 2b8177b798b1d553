import { estimateDesignEffect } from "./design_effect.ts";
import { clamp, fillBucket, type FiniteBucket, knownMean } from "./bucket_values.ts";
import type { HistogramEstimator } from "./histogram_estimator.ts";
import { histogramIntervals } from "./histogram_intervals.ts";
import { type HistogramTotals, histogramTotals } from "./histogram_totals.ts";
import { estimateInterpolation } from "./interpolation_estimator.ts";
import { learnBuckets } from "./learn_buckets.ts";
import { percentile } from "../percentile.ts";

/** Mean and variance of the observations in one bucket, as far as known. */
export interface BucketMoments {
  readonly mean: number;
  readonly variance: number | null;
}

/** Values made at most; larger histograms are scaled down. */
const MAX_VALUES = 100_000;
/** Scaled counts below this are too coarse to be rounded to whole values: by more than 1 %. */
const MIN_SCALED_COUNT = 100;
/** Factor on the last finite bound where the sum leaves nothing for what lies above it. */
const UNKNOWN_EXCESS = 1.5;
/** A bucket with this share of the finite observations is centred on the average. */
const DOMINANT_SHARE = 0.95;
/** Relative difference of sums that is left alone. */
const SUM_TOLERANCE = 0.001;
/** Share of a bucket's width by which the correction of the sum moves its values at most. */
const MAX_CORRECTION = 0.4;

/**
 * Polynomial histogram algorithm that AIPerf documents.
 *
 * It learns mean and variance inside the buckets from intervals in which only one bucket grew. It
 * generates as many values as there were observations, so that each bucket has its moments, and
 * puts the missing part of the sum above the last finite bound. It then corrects the values so that
 * their sum is that of the histogram, and takes the percentiles of the values.
 *
 * It avoids these errors of AIPerf's own program:
 * - equal observations stay equal instead of being spread over the bucket;
 * - the variance of interval means is scaled to that of observations, as far as these are
 *   independent;
 * - only the window is learned from;
 * - every infinite bound is the last one;
 * - scaling down loses neither buckets nor values above the last bound;
 * - a scrape without sum is interpolated, one without count is counted in its last bucket;
 * - a lowest bucket below zero has no lower end.
 */
export const POLYNOMIAL_ESTIMATOR: HistogramEstimator = {
  name: "polynomial",
  description: "AIPerf's algorithm: moments learned per bucket, corrected to the sum",
  estimate(window, percentiles) {
    const totals = histogramTotals(window);
    if (totals === null) return null;
    const designEffect = estimateDesignEffect(histogramIntervals(window));
    return estimatePolynomial(totals, learnBuckets(window, designEffect), percentiles);
  },
};

/**
 * Returns percentiles of a histogram from its totals and the moments learned for single buckets.
 *
 * @param learned by index of the bucket
 * @param percentiles from 0 to 100
 * @returns null without observations or finite bounds, or if the sum is not a number
 */
export function estimatePolynomial(
  totals: HistogramTotals,
  learned: ReadonlyMap<number, BucketMoments>,
  percentiles: readonly number[],
): number[] | null {
  const { upperBounds, count } = totals;
  if (!(count > 0) || upperBounds.length === 0) return null;
  if (Number.isNaN(totals.sum)) return estimateInterpolation(totals, percentiles);
  // Only below a negative bound can observations be negative.
  const signed = (upperBounds[0] as number) < 0;
  if (!Number.isFinite(totals.sum) || (totals.sum < 0 && !signed)) return null;
  if (upperBounds[0] === Infinity) return null;
  if (totals.sum === 0 && !signed) return percentiles.map(() => 0);
  const values = makeValues(totals, learned, signed);
  if (values === null) return null;
  const estimate = percentiles.map((p) => percentile(values, p));
  // Only sums and bounds near the largest float64 lead beyond it.
  return estimate.every(Number.isFinite) ? estimate : estimateInterpolation(totals, percentiles);
}

/** Values in ascending order whose percentiles are the histogram's. */
function makeValues(
  totals: HistogramTotals,
  learned: ReadonlyMap<number, BucketMoments>,
  signed: boolean,
): Float64Array | null {
  const { upperBounds, cumulative } = totals;
  const counts = perBucket(cumulative);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!(total > 0 && total < Infinity)) return null;
  const scale = total > MAX_VALUES ? MAX_VALUES / total : 1;
  const finiteLength = upperBounds.at(-1) === Infinity ? counts.length - 1 : counts.length;
  const maxFinite = upperBounds[finiteLength - 1] as number;
  const finite: (FiniteBucket & { readonly exactCount: number })[] = [];
  let expected = 0;
  for (let i = 0; i < finiteLength; i++) {
    const exactCount = counts[i] as number * scale;
    if (!(exactCount > 0)) continue;
    const upper = upperBounds[i] as number;
    const lower = i > 0 ? upperBounds[i - 1] as number : Math.min(0, upper);
    const { mean = null, variance = null } = learned.get(i) ?? {};
    // Scaling down must not lose a bucket.
    const count = scale < 1 ? Math.max(1, Math.trunc(exactCount)) : Math.trunc(exactCount);
    const bucket = { lower, upper, count, exactCount, mean, variance };
    finite.push(bucket);
    expected += exactCount * meanOf(bucket);
  }
  const sum = totals.sum * scale;
  const infinite = valuesAbove(
    finiteLength < counts.length ? counts[finiteLength] as number * scale : 0,
    sum - expected,
    maxFinite,
    scale < 1,
  );
  const made = finite.reduce((sum, { count }) => sum + count, 0);
  if (made + infinite.values.length === 0) return null;
  const values = new Float64Array(made + infinite.values.length);
  fillFinite(values, finite, sum - infinite.sum, signed);
  values.set(infinite.values, made);
  return values;
}

/** Observations in each bucket; a cumulative count below its predecessor counts as equal to it. */
function perBucket(cumulative: Float64Array): Float64Array {
  let below = 0;
  return cumulative.map((count) => {
    const own = Math.max(0, count - below);
    below = Math.max(below, count);
    return own;
  });
}

/** Returns the mean of a bucket's observations before values are generated. */
function meanOf(bucket: FiniteBucket): number {
  const { lower, upper, mean } = bucket;
  // A bucket without width is open below.
  if (!(upper > lower)) return mean !== null && mean < upper ? mean : upper;
  return knownMean(bucket) ?? (lower + upper) / 2;
}

/** Values above the last finite bound, evenly spread around the mean that their sum leaves them. */
function valuesAbove(
  exactCount: number,
  remainder: number,
  maxFinite: number,
  scaled: boolean,
): { values: Float64Array; sum: number } {
  if (!(exactCount > 0)) return { values: new Float64Array(0), sum: 0 };
  const length = Math.ceil(exactCount);
  // Where a few values stand for a fraction of themselves, their sum is that of the fraction.
  const weight = scaled && exactCount < MIN_SCALED_COUNT ? exactCount : length;
  let mean = remainder > 0 ? remainder / weight : UNKNOWN_EXCESS * maxFinite;
  if (mean <= maxFinite) mean = maxFinite + (UNKNOWN_EXCESS - 1) * Math.abs(maxFinite);
  const values = new Float64Array(length);
  if (length === 1) return { values: values.fill(mean), sum: mean * weight };
  let end = 2 * mean - maxFinite;
  if (end <= maxFinite) end = maxFinite + Math.abs(maxFinite);
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const value = maxFinite + i * ((end - maxFinite) / (length - 1));
    values[i] = value;
    sum += value;
  }
  values[length - 1] = end;
  return { values, sum: weight === length ? sum : mean * weight };
}

/** Fills the values of the finite buckets so that they sum up to `target` as nearly as they can. */
function fillFinite(
  values: Float64Array,
  buckets: readonly (FiniteBucket & { readonly exactCount: number })[],
  target: number,
  signed: boolean,
): void {
  const total = buckets.reduce((sum, { exactCount }) => sum + exactCount, 0);
  const average = target / total;
  const dominant = buckets.reduce<(typeof buckets)[number] | undefined>(
    (most, bucket) => most === undefined || bucket.exactCount > most.exactCount ? bucket : most,
    undefined,
  );
  const sums: number[] = [];
  let made = 0;
  let start = 0;
  for (const bucket of buckets) {
    const { lower, upper, count, exactCount } = bucket;
    const part = values.subarray(start, start += count);
    const centred = bucket === dominant && exactCount / total >= DOMINANT_SHARE &&
      average > lower && average < upper;
    fillBucket(part, bucket, centred ? average : null);
    const sum = sumOf(part) * (exactCount < 1 ? exactCount : 1);
    sums.push(sum);
    made += sum;
  }
  if (!signed && (made <= 0 || target <= 0)) return;
  const difference = target - made;
  if (Math.abs(difference) < SUM_TOLERANCE * Math.abs(target)) return;
  start = 0;
  buckets.forEach(({ lower, upper, count, exactCount }, i) => {
    const part = values.subarray(start, start += count);
    if (!(upper > lower)) return;
    // By share of the sum, which says nothing where values may be negative: there by count.
    const share = signed ? exactCount / total : sums[i] as number / made;
    const limit = MAX_CORRECTION * (upper - lower);
    const shift = clamp(difference * share / Math.min(count, exactCount), -limit, limit);
    for (let j = 0; j < count; j++) part[j] = clamp(part[j] as number + shift, lower, upper);
  });
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}
