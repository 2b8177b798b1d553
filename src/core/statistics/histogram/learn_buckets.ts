import { arithmeticMean } from "../arithmetic_mean.ts";
import type { HistogramWindow } from "./histogram_window.ts";

/** Estimates for the observations inside one bucket, from the intervals of a window. */
export interface LearnedBucket {
  /** Mean of the observations. */
  readonly mean: number;
  /** Variance of single observations; null with fewer than {@linkcode MIN_INTERVALS} intervals. */
  readonly variance: number | null;
  /** Observations in the intervals learned from. */
  readonly count: number;
  /** The mean of every interval learned from, in order of time. */
  readonly intervalMeans: readonly number[];
  /** Sample variance of {@linkcode intervalMeans}, each counted once; null as above. */
  readonly varianceOfMeans: number | null;
}

/** Interval means needed to estimate their variance. */
const MIN_INTERVALS = 3;

/**
 * Learns the mean and variance inside each bucket from the intervals between neighbouring rows in
 * which all observations fell into that one bucket, so that the growth of the sum belongs to it.
 *
 * The mean of n independent observations has a variance n times smaller than a single one, so
 * `variance` weighs each squared deviation with the interval's number of observations.
 *
 * @param designEffect observations that come together with one value, which are weighted as one
 * @returns by index of the bucket; buckets without such intervals are absent
 */
export function learnBuckets(
  window: HistogramWindow,
  designEffect = 1,
): Map<number, LearnedBucket> {
  const { upperBounds, length, cumulative, sums, counts } = window;
  const width = upperBounds.length;
  const intervals = new Map<number, { sizes: number[]; means: number[] }>();
  for (let row = 1; row < length; row++) {
    const countDelta = (counts[row] as number) - (counts[row - 1] as number);
    const size = Math.trunc(
      // Without a _count the last bucket counts everything.
      Number.isNaN(countDelta) ? growth(cumulative, width, row, width - 1) : countDelta,
    );
    if (!(size > 0)) continue;
    const bucket = onlyBucket(cumulative, width, row);
    if (bucket === -1) continue;
    const mean = ((sums[row] as number) - (sums[row - 1] as number)) / size;
    if (!Number.isFinite(mean)) continue;
    let learned = intervals.get(bucket);
    if (learned === undefined) intervals.set(bucket, learned = { sizes: [], means: [] });
    learned.sizes.push(size);
    learned.means.push(mean);
  }
  return new Map(
    [...intervals].map(([bucket, { sizes, means }]) => [bucket, learn(sizes, means, designEffect)]),
  );
}

/** The one bucket that grew between a row and the one before; -1 if none or several did. */
function onlyBucket(cumulative: Float64Array, width: number, row: number): number {
  let found = -1;
  let below = 0;
  for (let i = 0; i < width; i++) {
    const grown = growth(cumulative, width, row, i);
    if (grown > below) {
      if (found !== -1) return -1;
      found = i;
    }
    below = grown;
  }
  return found;
}

function growth(cumulative: Float64Array, width: number, row: number, bucket: number): number {
  const at = row * width + bucket;
  return Math.max(0, (cumulative[at] as number) - (cumulative[at - width] as number));
}

function learn(
  sizes: readonly number[],
  means: readonly number[],
  designEffect: number,
): LearnedBucket {
  const count = sizes.reduce((total, size) => total + size, 0);
  const mean = sizes.reduce((total, size, i) => total + size * (means[i] as number), 0) / count;
  if (means.length < MIN_INTERVALS) {
    return { mean, variance: null, count, intervalMeans: means, varianceOfMeans: null };
  }
  const plainMean = arithmeticMean(means);
  let squares = 0;
  let squaresOfMeans = 0;
  means.forEach((value, i) => {
    squares += Math.max(1, (sizes[i] as number) / designEffect) * (value - mean) ** 2;
    squaresOfMeans += (value - plainMean) ** 2;
  });
  return {
    mean,
    variance: squares / (means.length - 1),
    count,
    intervalMeans: means,
    varianceOfMeans: squaresOfMeans / (means.length - 1),
  };
}
