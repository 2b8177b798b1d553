import { CELLS, densityMoments } from "./bucket_density.ts";
import type { BucketModel } from "./bucket_model.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";
import { bucketReach, RelativeShape } from "./relative_shape.ts";

/** Intervals on either side whose means, the nearer the more, make the scale of one. */
const HALF_WIDTHS = [0, 1, 3, 8];
/** Observations that a scale has to rest on. */
const MIN_OBSERVATIONS = 6;
const MIN_INTERVALS = 8;
/** Intervals that are looked at together for whether anything moves. */
const BLOCK = 8;
/** Minimum ratio of the variance of the numbers of observations to random variation. */
const MIN_SCATTER = 1.2;
/** By how much the logarithm of the likelihood has to exceed that of a steady distribution. */
const MIN_GAIN = 5;
/** Steps of fitting a shape before it is chosen, and after. */
const FIRST_ITERATIONS = 4;
const LAST_ITERATIONS = 6;

/**
 * Model of observations that grow and shrink together, as latencies do with the load. In each
 * interval they are a scale times a variable whose distribution does not change.
 *
 * The scales are the means of the intervals, smoothed over as many neighbours as the likelihood
 * requires. The weight of an interval in its own scale costs as much likelihood as that part of a
 * fitted parameter (Akaike).
 *
 * @returns null if a steady distribution explains the numbers of observations as well
 */
export function movingModel(data: HistogramIntervals, designEffect: number): BucketModel | null {
  const { buckets, sums, count } = data;
  const active = buckets.filter(({ total }) => total > 0);
  if (active.length < 2 || sums.length < MIN_INTERVALS) return null;
  if (active.some(({ lower }) => lower < 0)) return null;
  const sizes = intervalSizes(data);
  const scatter = blockScatter(active, sizes, count) / designEffect;
  if (!(Math.max(scatter, designEffect) > MIN_SCATTER)) return null;
  let steady = 0;
  for (const { total } of active) steady += total * Math.log(total / count);
  let best: RelativeShape | null = null;
  let bestScore = steady / designEffect + MIN_GAIN;
  for (const halfWidth of HALF_WIDTHS) {
    const smoothed = smoothedScales(sums, sizes, halfWidth);
    if (smoothed === null) continue;
    const shape = new RelativeShape(data, smoothed.scales);
    shape.fit(FIRST_ITERATIONS);
    const score = shape.logLikelihood() / designEffect - smoothed.parameters;
    if (score > bestScore) [best, bestScore] = [shape, score];
  }
  if (best === null) return null;
  best.fit(LAST_ITERATIONS);
  return modelOf(data, best, designEffect);
}

/** Observations in each interval. */
function intervalSizes({ buckets, sums }: HistogramIntervals): Float64Array {
  const sizes = new Float64Array(sums.length);
  for (const { intervals, counts } of buckets) {
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      sizes[i] = (sizes[i] as number) + (counts[j] as number);
    }
  }
  return sizes;
}

/**
 * Returns the variance of the numbers of observations in blocks of intervals: 1 for only random
 * variation.
 */
function blockScatter(
  active: readonly IntervalBucket[],
  sizes: Float64Array,
  count: number,
): number {
  const blocks = Math.ceil(sizes.length / BLOCK);
  const blockOf = (interval: number) => Math.min(blocks - 1, Math.floor(interval / BLOCK));
  const blockSizes = new Float64Array(blocks);
  sizes.forEach((size, i) => {
    blockSizes[blockOf(i)] = (blockSizes[blockOf(i)] as number) + size;
  });
  let squares = 0;
  for (const { total, intervals, counts } of active) {
    const seen = new Float64Array(blocks);
    for (let j = 0; j < intervals.length; j++) {
      const block = blockOf(intervals[j] as number);
      seen[block] = (seen[block] as number) + (counts[j] as number);
    }
    for (let block = 0; block < blocks; block++) {
      const expected = (blockSizes[block] as number) * total / count;
      squares += ((seen[block] as number) - expected) ** 2 / expected;
    }
  }
  return squares / Math.max(1, blocks - 1) / (active.length - 1);
}

/**
 * Means over neighbouring intervals, and as how many fitted parameters they count.
 * @returns null if they rest on too few observations, or are not positive
 */
function smoothedScales(
  sums: Float64Array,
  sizes: Float64Array,
  halfWidth: number,
): { readonly scales: Float64Array; readonly parameters: number } | null {
  const scales = new Float64Array(sums.length);
  const bases = new Float64Array(sums.length);
  let parameters = 0;
  for (let i = 0; i < sums.length; i++) {
    let sum = 0;
    let size = 0;
    for (let step = -halfWidth; step <= halfWidth; step++) {
      const other = sums[i + step] ?? NaN;
      if (Number.isNaN(other)) continue;
      const weight = 1 - Math.abs(step) / (halfWidth + 1);
      sum += weight * other;
      size += weight * (sizes[i + step] as number);
    }
    scales[i] = sum / size;
    if (!((scales[i] as number) > 0)) return null;
    bases[i] = size;
    if (!Number.isNaN(sums[i])) parameters += (sizes[i] as number) / size;
  }
  bases.sort();
  const isFirm = (bases[bases.length >> 1] as number) >= MIN_OBSERVATIONS;
  return isFirm ? { scales, parameters } : null;
}

function modelOf(
  { buckets }: HistogramIntervals,
  shape: RelativeShape,
  designEffect: number,
): BucketModel {
  const density = new Float64Array(CELLS);
  const reaches = buckets.map((bucket) => {
    const { lower } = bucket;
    const width = bucketReach(bucket).most - lower;
    const logEdges = Float64Array.from(
      { length: CELLS + 1 },
      (_, cell) => Math.log(lower + width * (cell / CELLS)),
    );
    return { lower, width, logEdges };
  });
  const means = buckets.map(({ intervals }) => new Float64Array(intervals.length));
  const variances = buckets.map(({ intervals }) => new Float64Array(intervals.length));
  buckets.forEach(({ intervals }, b) => {
    const { lower, width, logEdges } = reaches[b] as (typeof reaches)[number];
    for (let j = 0; j < intervals.length; j++) {
      shape.density(intervals[j] as number, logEdges, density);
      const { mean, variance } = densityMoments(density);
      (means[b] as Float64Array)[j] = lower + mean * width;
      (variances[b] as Float64Array)[j] = variance * width * width;
    }
  });
  return {
    designEffect,
    means,
    variances,
    density(bucket, position) {
      const interval = buckets[bucket]?.intervals[position] as number;
      shape.density(interval, reaches[bucket]?.logEdges as Float64Array, density);
      return density;
    },
  };
}
