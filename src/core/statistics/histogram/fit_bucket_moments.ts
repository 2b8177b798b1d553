import type { BucketPrior } from "./bucket_prior.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";

/** Mean and variance of the observations in each bucket. */
export interface BucketFit {
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

const ITERATIONS = 12;
/** Rounds of coordinate descent on the means in each iteration. */
const SWEEPS = 3;
/** Intervals that the prior variance counts as. */
const PRIOR_WEIGHT = 3;
/** Largest variance inside a bucket, as a multiple of the even distribution's. */
const MAX_VARIANCE = 1.1;
/** Smallest relative deviation that float64 can represent. */
const SMALLEST_DEVIATION = 1e-13;
/** Relative difference up to which interval means are equal. */
const EQUAL_MEANS = 1e-9;

/**
 * Fits mean and variance inside the buckets to the sums of the intervals.
 *
 * The sum of an interval is the sum over its buckets of count times mean. Its variance is the sum
 * of count times variance, times the size of the batches in which equal observations come. This is
 * a linear model with as many equations as intervals. Means come from weighted least squares, drawn
 * to the prior; variances from the variation of the residuals by minorisation-maximisation (Zhou,
 * Hu, Zhou, Lange, "MM algorithms for variance components models", 2019). The variation is that
 * between neighbouring intervals, so that a slow drift of the observations does not count as
 * variance.
 */
export function fitBucketMoments(
  data: HistogramIntervals,
  priors: readonly BucketPrior[],
  designEffect: number,
): BucketFit {
  const fit = new MomentsFit(data, priors, designEffect);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) fit.iterate();
  return fit;
}

class MomentsFit implements BucketFit {
  readonly means: Float64Array;
  readonly variances: Float64Array;
  readonly #data: HistogramIntervals;
  readonly #priors: readonly BucketPrior[];
  readonly #designEffect: number;
  /** Indices of the buckets with observations. */
  readonly #active: readonly number[];
  /** Buckets whose observations are all equal: their moments are final. */
  readonly #constant = new Set<number>();
  readonly #sumVariances: Float64Array;
  readonly #residuals: Float64Array;

  constructor(data: HistogramIntervals, priors: readonly BucketPrior[], designEffect: number) {
    this.#data = data;
    this.#priors = priors;
    this.#designEffect = designEffect;
    this.#active = data.buckets.flatMap(({ total }, bucket) => total > 0 ? [bucket] : []);
    this.means = Float64Array.from(priors, ({ mean }) => mean);
    this.variances = Float64Array.from(priors, ({ variance }) => variance);
    this.#sumVariances = new Float64Array(data.sums.length);
    this.#residuals = new Float64Array(data.sums.length);
    this.#fixConstants();
  }

  iterate(): void {
    this.#expect();
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      for (const bucket of this.#active) this.#fitMean(bucket);
    }
    this.#fitVariances();
  }

  /** Intervals that saw one bucket only, all with the same mean, show that nothing varies in it. */
  #fixConstants(): void {
    const { buckets, sums } = this.#data;
    const others = new Float64Array(sums.length);
    for (const { intervals } of buckets) {
      for (const interval of intervals) others[interval] = (others[interval] as number) + 1;
    }
    for (const bucket of this.#active) {
      const { intervals, counts } = buckets[bucket] as IntervalBucket;
      let least = Infinity;
      let most = -Infinity;
      let alone = 0;
      intervals.forEach((interval, j) => {
        const mean = sums[interval] as number / (counts[j] as number);
        if (others[interval] !== 1 || Number.isNaN(mean)) return;
        alone++;
        least = Math.min(least, mean);
        most = Math.max(most, mean);
      });
      // Whole numbers may be equal by chance in a few of many intervals.
      const enough = alone >= 3 || (alone === 2 && intervals.length === 2);
      if (!enough || most - least > EQUAL_MEANS * Math.abs(most)) continue;
      this.#constant.add(bucket);
      this.means[bucket] = (least + most) / 2;
      this.variances[bucket] = 0;
    }
  }

  /** Computes variances and residuals of the sums from the present estimates. */
  #expect(): void {
    const { buckets, sums, roundings } = this.#data;
    const [variances, residuals] = [this.#sumVariances, this.#residuals];
    for (let i = 0; i < sums.length; i++) {
      // An unknown sum says nothing: infinitely uncertain.
      const isKnown = !Number.isNaN(sums[i]);
      variances[i] = isKnown ? (roundings[i] as number) ** 2 + Number.MIN_VALUE : Infinity;
      residuals[i] = isKnown ? sums[i] as number : 0;
    }
    for (const bucket of this.#active) {
      const { intervals, counts } = buckets[bucket] as IntervalBucket;
      const mean = this.means[bucket] as number;
      const variance = this.variances[bucket] as number;
      for (let j = 0; j < intervals.length; j++) {
        const i = intervals[j] as number;
        if (variances[i] === Infinity) continue;
        const count = counts[j] as number;
        variances[i] = (variances[i] as number) +
          count * Math.min(count, this.#designEffect) * variance;
        residuals[i] = (residuals[i] as number) - count * mean;
      }
    }
  }

  #fitMean(bucket: number): void {
    if (this.#constant.has(bucket)) return;
    const { lower, upper, intervals, counts } = this.#data.buckets[bucket] as IntervalBucket;
    const prior = this.#priors[bucket] as BucketPrior;
    const [variances, residuals] = [this.#sumVariances, this.#residuals];
    const before = this.means[bucket] as number;
    let precision = 1 / prior.meanDeviation ** 2;
    let pull = (prior.mean - before) * precision;
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      const weight = counts[j] as number / (variances[i] as number);
      pull += weight * (residuals[i] as number);
      precision += weight * (counts[j] as number);
    }
    const fitted = before + pull / precision;
    if (!Number.isFinite(fitted)) return;
    const mean = Math.min(upper, Math.max(lower, fitted));
    this.means[bucket] = mean;
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      residuals[i] = (residuals[i] as number) - (counts[j] as number) * (mean - before);
    }
  }

  #fitVariances(): void {
    const variances = this.#sumVariances;
    const scatter = this.#scatter();
    // Few intervals can be met exactly by moving the means: that they are says nothing.
    const isConclusive = scatter.length >= 3 * this.#active.length + 3;
    for (const index of this.#active) {
      if (this.#constant.has(index)) continue;
      const bucket = this.#data.buckets[index] as IntervalBucket;
      const { intervals, counts } = bucket;
      const prior = this.#priors[index] as BucketPrior;
      const before = this.variances[index] as number;
      const mean = this.means[index] as number;
      let seen = 0;
      let expected = 0;
      for (let j = 0; j < intervals.length; j++) {
        const i = intervals[j] as number;
        const count = counts[j] as number;
        const weight = count * Math.min(count, this.#designEffect) / (variances[i] as number);
        if (weight === 0) continue;
        seen += weight * (scatter[i] as number);
        expected += weight;
      }
      const { likely, possible } = largestVariances(bucket, prior, mean);
      const most = isConclusive ? possible : likely;
      // In logarithms, so that a prior that is far too wide does not outweigh the scatter.
      const told = expected * before;
      const trust = told > 0 ? told / (told + PRIOR_WEIGHT) : 0;
      const guess = Math.min(prior.variance, likely);
      const factor = (told > 0 ? (seen / expected) ** (trust / 2) : 1) *
        (guess / before) ** (1 - trust);
      const least = Math.max((mean * SMALLEST_DEVIATION) ** 2, Number.MIN_VALUE);
      const fitted = Math.max(least, Math.min(most, before * factor));
      if (Number.isFinite(fitted)) this.variances[index] = fitted;
    }
  }

  /** Squared standardised residuals, from differences between neighbours: 1 on average. */
  #scatter(): Float64Array {
    const length = this.#residuals.length;
    const standardized = this.#residuals.map((residual, i) =>
      residual / Math.sqrt(this.#sumVariances[i] as number)
    );
    if (length < 3) return standardized.map((value) => value * value);
    const halfSquares = standardized.map((value, i) =>
      i === 0 ? 0 : (value - (standardized[i - 1] as number)) ** 2 / 2
    );
    return halfSquares.map((square, i) => {
      const next = halfSquares[i + 1];
      return i === 0 ? next as number : next === undefined ? square : (square + next) / 2;
    });
  }
}

/** The largest variances that observations with this mean can have in a bucket. */
function largestVariances(
  { lower, upper }: IntervalBucket,
  { deviationsBelow, deviationsAbove }: BucketPrior,
  mean: number,
): { readonly likely: number; readonly possible: number } {
  const width = upper - lower;
  if (!Number.isFinite(width)) return { likely: Infinity, possible: Infinity };
  const below = mean - lower;
  const above = upper - mean;
  const possible = below * above;
  if (!(deviationsBelow > 0)) {
    const likely = Math.min(possible, MAX_VARIANCE * width * width / 12);
    return { likely, possible: likely };
  }
  // Where next to nothing lies beyond an end it is many deviations away, unless there are several
  // peaks in the bucket, which the scatter may show.
  const likely = Math.min(possible, (below / deviationsBelow) ** 2, (above / deviationsAbove) ** 2);
  return { likely, possible };
}
