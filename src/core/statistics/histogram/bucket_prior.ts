import { type CellDensity, curvedDensity, densityMoments } from "./bucket_density.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";
import { upperNormalQuantile } from "./normal_quantiles.ts";

/**
 * Estimate of a bucket's inside from the number of observations in the bucket and its neighbours.
 */
export interface BucketPrior {
  readonly mean: number;
  /** Variance of one observation. */
  readonly variance: number;
  /** How far the true mean may be from `mean`: one standard deviation. */
  readonly meanDeviation: number;
  /**
   * Standard deviations between the mean and the bucket's ends, by how little lies beyond them; 0
   * if that says nothing.
   */
  readonly deviationsBelow: number;
  readonly deviationsAbove: number;
  /** Density inside the bucket; null for a bucket without an end, or without observations. */
  readonly density: CellDensity | null;
}

/** The logarithm of the density changes by at most this much over a bucket. */
const MAX_SLOPE = 4;
const MIN_CURVATURE = -12;
const MAX_CURVATURE = 3;
/** Observations that an empty neighbour counts as. */
const EMPTY_COUNT = 0.5;
/** Neighbours with less than this share of a bucket's observations say little about its inside. */
const ISOLATED_SHARE = 0.05;
/** Uncertainty of a mean, in widths of the bucket. */
const MEAN_DEVIATION = 0.05;
const ISOLATED_MEAN_DEVIATION = 0.25;
/** Excess over the last bound, relative to it, where nothing else is known. */
const UNKNOWN_EXCESS = 0.25;
/** Excesses below this fraction of the bound are rounding errors of an inexact subtraction. */
const MIN_EXCESS = 0.02;
/** Uncertainty of the mean excess, relative to it. */
const EXCESS_DEVIATION = 3;

/**
 * Guesses mean, variance and density inside each bucket only from the counts.
 *
 * The logarithm of the density is assumed to be a parabola through those of the bucket and its
 * neighbours. What lies beyond the last bound is exponential, with the mean that the sum of all
 * observations leaves it.
 */
export function bucketPriors({ buckets, sums, count }: HistogramIntervals): BucketPrior[] {
  const priors = buckets.map((bucket, i) => closedPrior(bucket, buckets[i - 1], buckets[i + 1]));
  let known = 0;
  let counted = 0;
  buckets.forEach(({ intervals, counts }) =>
    intervals.forEach((interval, j) => {
      if (!Number.isNaN(sums[interval])) counted += counts[j] as number;
    })
  );
  for (const sum of sums) if (!Number.isNaN(sum)) known += sum;
  // The sum of all observations, as far as it is known.
  let remainder = known * count / counted;
  priors.forEach((prior, i) => {
    if (prior !== null) remainder -= prior.mean * (buckets[i] as IntervalBucket).total;
  });
  return priors.map((prior, i) => prior ?? openPrior(buckets[i] as IntervalBucket, remainder));
}

/** null for a bucket without an end. */
function closedPrior(
  bucket: IntervalBucket,
  below: IntervalBucket | undefined,
  above: IntervalBucket | undefined,
): BucketPrior | null {
  const { lower, upper, total } = bucket;
  const width = upper - lower;
  if (!Number.isFinite(width)) return null;
  if (total === 0) return { ...UNKNOWN, mean: (lower + upper) / 2 };
  const near = (below?.total ?? 0) + (above?.total ?? 0);
  if (near < ISOLATED_SHARE * total) return isolatedPrior(bucket, below, above);
  const left = neighbour(bucket, below);
  const right = neighbour(bucket, above);
  const slope = (right.logDensity - left.logDensity) / 2;
  // Second divided difference through the middles of the three buckets.
  const curvature = (right.logDensity / right.distance + left.logDensity / left.distance) /
    (right.distance + left.distance);
  const density = curvedDensity(
    Math.min(MAX_SLOPE, Math.max(-MAX_SLOPE, slope)),
    Math.min(MAX_CURVATURE, Math.max(MIN_CURVATURE, curvature)),
  );
  const { mean, variance } = densityMoments(density);
  return {
    ...UNKNOWN,
    mean: lower + mean * width,
    variance: variance * width * width,
    meanDeviation: MEAN_DEVIATION * width,
    density,
  };
}

/** For a bucket that holds all but little of a peak: normal, with that little beyond its ends. */
function isolatedPrior(
  { lower, upper, total }: IntervalBucket,
  below: IntervalBucket | undefined,
  above: IntervalBucket | undefined,
): BucketPrior {
  const width = upper - lower;
  const deviations = (other: IntervalBucket | undefined) => {
    const beyond = (other?.total ?? 0) + EMPTY_COUNT;
    return upperNormalQuantile(beyond / (total + 2 * beyond));
  };
  const [deviationsBelow, deviationsAbove] = [deviations(below), deviations(above)];
  const span = deviationsBelow + deviationsAbove;
  const mean = deviationsBelow / span;
  // log density -(t - mean)^2 span^2 / 2 in widths of the bucket, t counted from its middle
  const density = curvedDensity(span * span * (mean - 0.5), -span * span / 2);
  return {
    mean: lower + mean * width,
    variance: (width / span) ** 2,
    meanDeviation: ISOLATED_MEAN_DEVIATION * width,
    deviationsBelow,
    deviationsAbove,
    density,
  };
}

const UNKNOWN: BucketPrior = {
  mean: 0,
  variance: 0,
  meanDeviation: 0,
  deviationsBelow: 0,
  deviationsAbove: 0,
  density: null,
};

/** Logarithm of the neighbour's density over the bucket's own, and distance in the bucket's widths. */
function neighbour(
  { lower, upper, total }: IntervalBucket,
  other: IntervalBucket | undefined,
): { logDensity: number; distance: number } {
  const width = upper - lower;
  const otherWidth = other === undefined ? width : other.upper - other.lower;
  const reach = Number.isFinite(otherWidth) ? otherWidth : width;
  const count = Math.max(other?.total ?? 0, EMPTY_COUNT);
  return {
    logDensity: Math.log(count / total) + Math.log(width) - Math.log(reach),
    distance: (reach + width) / 2 / width,
  };
}

/** @param remainder what the means of all other buckets leave of the sum; NaN if unknown */
function openPrior({ lower, upper, total }: IntervalBucket, remainder: number): BucketPrior {
  const upwards = upper === Infinity;
  const bound = upwards ? lower : upper;
  if (!Number.isFinite(bound) || total === 0) {
    return UNKNOWN;
  }
  const size = Math.abs(bound) || 1;
  const rest = (remainder / total - bound) * (upwards ? 1 : -1);
  const excess = rest > MIN_EXCESS * size ? rest : UNKNOWN_EXCESS * size;
  return {
    ...UNKNOWN,
    mean: bound + (upwards ? excess : -excess),
    variance: excess * excess,
    meanDeviation: EXCESS_DEVIATION * excess,
  };
}
