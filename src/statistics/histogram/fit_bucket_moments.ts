import { estimateDesignEffect } from "./design_effect.ts";
import type { BucketPrior } from "./bucket_prior.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";

/** Mean and variance of the observations in each bucket, and what single intervals add to them. */
export interface BucketFit {
  /** By bucket. */
  readonly means: Float64Array;
  readonly variances: Float64Array;
  /** Variance of each interval's sum, given how many observations fell into which bucket. */
  readonly sumVariances: Float64Array;
  /** Each interval's sum less what means and drifts let expect; 0 where the sum is unknown. */
  readonly residuals: Float64Array;
  /** Common shift of an interval's observations, in standard deviations of their buckets. */
  readonly drifts: Float64Array;
  /** Observations that come together with one value. */
  readonly designEffect: number;
}

const ITERATIONS = 12;
/** Rounds of coordinate descent on the means in each iteration. */
const SWEEPS = 3;
/** Intervals whose common shift is one figure. */
const DRIFT_INTERVALS = 20;
const INITIAL_DRIFT_VARIANCE = 0.02;
const MIN_DRIFT_VARIANCE = 1e-6;
/** Intervals that the prior variance counts as. */
const PRIOR_WEIGHT = 6;
/** Largest variance inside a bucket, as a multiple of the even distribution's. */
const MAX_VARIANCE = 1.1;
/** Intervals whose scatter shrinks a variance by this factor at once leave nothing to the prior. */
const NO_SCATTER = 0.05;
/** Smallest relative deviation that float64 can tell. */
const SMALLEST_DEVIATION = 1e-13;
/** Relative difference up to which interval means are equal. */
const EQUAL_MEANS = 1e-9;

/**
 * Fits mean and variance inside the buckets to the sums of the intervals.
 *
 * The sum of an interval is the sum over its buckets of count times mean, with a variance that is
 * the sum of count times variance, times the size of the batches in which equal observations come:
 * a linear model with as many equations as intervals. Means come from weighted least squares, drawn
 * to the prior; variances from the scatter of the residuals by minorisation-maximisation (Zhou, Hu,
 * Zhou, Lange, "MM algorithms for variance components models", 2019). The scatter is that of
 * neighbouring intervals, so that a slow drift of the observations does not count as variance; the
 * drift itself is a common shift per block of intervals, whose size is fitted as well.
 */
export function fitBucketMoments(
  data: HistogramIntervals,
  priors: readonly BucketPrior[],
): BucketFit {
  const fit = new MomentsFit(data, priors);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) fit.iterate();
  return fit.result();
}

class MomentsFit {
  readonly #data: HistogramIntervals;
  readonly #priors: readonly BucketPrior[];
  /** Indices of the buckets with observations. */
  readonly #active: readonly number[];
  /** Buckets all of whose observations are equal: their figures are final. */
  readonly #constant = new Set<number>();
  readonly #designEffect: number;
  readonly #means: Float64Array;
  readonly #variances: Float64Array;
  readonly #sumVariances: Float64Array;
  readonly #residuals: Float64Array;
  /** By how much a drift of one moves each sum. */
  readonly #driftWeights: Float64Array;
  readonly #blockDrifts: Float64Array;
  #driftVariance = INITIAL_DRIFT_VARIANCE;

  constructor(data: HistogramIntervals, priors: readonly BucketPrior[]) {
    this.#data = data;
    this.#priors = priors;
    this.#active = data.buckets.flatMap(({ total }, bucket) => total > 0 ? [bucket] : []);
    this.#designEffect = estimateDesignEffect(data);
    this.#means = Float64Array.from(priors, ({ mean }) => mean);
    this.#variances = Float64Array.from(priors, ({ variance }) => variance);
    const length = data.sums.length;
    this.#sumVariances = new Float64Array(length);
    this.#residuals = new Float64Array(length);
    this.#driftWeights = new Float64Array(length);
    this.#blockDrifts = new Float64Array(Math.ceil(length / DRIFT_INTERVALS));
    this.#fixConstants();
  }

  iterate(): void {
    this.#expect();
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      for (const bucket of this.#active) this.#fitMean(bucket);
    }
    this.#fitDrifts();
    this.#fitVariances();
  }

  result(): BucketFit {
    this.#expect();
    return {
      means: this.#means,
      variances: this.#variances,
      sumVariances: this.#sumVariances,
      residuals: this.#residuals,
      drifts: this.#residuals.map((_, interval) => this.#driftOf(interval)),
      designEffect: this.#designEffect,
    };
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
      this.#means[bucket] = (least + most) / 2;
      this.#variances[bucket] = 0;
    }
  }

  /** Variances and residuals of the sums from the present figures. */
  #expect(): void {
    const { buckets, sums, roundings } = this.#data;
    const [variances, residuals, weights] = [
      this.#sumVariances,
      this.#residuals,
      this.#driftWeights,
    ];
    for (let i = 0; i < sums.length; i++) {
      variances[i] = (roundings[i] as number) ** 2 + Number.MIN_VALUE;
      residuals[i] = sums[i] as number;
      weights[i] = 0;
    }
    for (const bucket of this.#active) {
      const { intervals, counts } = buckets[bucket] as IntervalBucket;
      const mean = this.#means[bucket] as number;
      const variance = this.#variances[bucket] as number;
      const deviation = Math.sqrt(variance);
      for (let j = 0; j < intervals.length; j++) {
        const i = intervals[j] as number;
        const count = counts[j] as number;
        const alike = Math.min(count, this.#designEffect);
        variances[i] = (variances[i] as number) + count * alike * variance;
        residuals[i] = (residuals[i] as number) - count * mean;
        weights[i] = (weights[i] as number) + count * deviation;
      }
    }
    for (let i = 0; i < sums.length; i++) {
      if (Number.isNaN(residuals[i])) {
        // An unknown sum says nothing: infinitely uncertain.
        residuals[i] = 0;
        variances[i] = Infinity;
        weights[i] = 0;
      } else residuals[i] = (residuals[i] as number) - (weights[i] as number) * this.#driftOf(i);
    }
  }

  #driftOf(interval: number): number {
    return this.#blockDrifts[Math.floor(interval / DRIFT_INTERVALS)] as number;
  }

  #fitMean(bucket: number): void {
    if (this.#constant.has(bucket)) return;
    const { lower, upper, intervals, counts } = this.#data.buckets[bucket] as IntervalBucket;
    const prior = this.#priors[bucket] as BucketPrior;
    const [variances, residuals] = [this.#sumVariances, this.#residuals];
    const before = this.#means[bucket] as number;
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
    this.#means[bucket] = mean;
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      residuals[i] = (residuals[i] as number) - (counts[j] as number) * (mean - before);
    }
  }

  #fitDrifts(): void {
    const [variances, residuals, weights] = [
      this.#sumVariances,
      this.#residuals,
      this.#driftWeights,
    ];
    let squares = 0;
    for (let block = 0; block < this.#blockDrifts.length; block++) {
      const start = block * DRIFT_INTERVALS;
      const end = Math.min(start + DRIFT_INTERVALS, residuals.length);
      const before = this.#blockDrifts[block] as number;
      let precision = 1 / this.#driftVariance;
      let pull = -before * precision;
      for (let i = start; i < end; i++) {
        const weight = (weights[i] as number) / (variances[i] as number);
        pull += weight * (residuals[i] as number);
        precision += weight * (weights[i] as number);
      }
      const step = pull / precision;
      this.#blockDrifts[block] = before + step;
      squares += (before + step) ** 2 + 1 / precision;
      for (let i = start; i < end; i++) {
        residuals[i] = (residuals[i] as number) - (weights[i] as number) * step;
      }
    }
    this.#driftVariance = Math.max(MIN_DRIFT_VARIANCE, squares / this.#blockDrifts.length);
  }

  #fitVariances(): void {
    const variances = this.#sumVariances;
    const scatter = this.#scatter();
    // Few intervals can be met exactly by moving the means: that they are says nothing.
    const conclusive = scatter.length >= 3 * this.#active.length + 3;
    for (const index of this.#active) {
      if (this.#constant.has(index)) continue;
      const bucket = this.#data.buckets[index] as IntervalBucket;
      const { intervals, counts } = bucket;
      const prior = this.#priors[index] as BucketPrior;
      const before = this.#variances[index] as number;
      const mean = this.#means[index] as number;
      const most = largestVariance(bucket, prior, mean);
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
      let factor = Math.sqrt(seen / expected);
      if (!(conclusive && intervals.length >= 3 && factor < NO_SCATTER)) {
        const guess = Math.min(prior.variance, most);
        factor = Math.sqrt(
          (seen + PRIOR_WEIGHT * guess / (before * before)) / (expected + PRIOR_WEIGHT / before),
        );
      }
      const least = Math.max((mean * SMALLEST_DEVIATION) ** 2, Number.MIN_VALUE);
      const fitted = Math.max(least, Math.min(most, before * factor));
      if (Number.isFinite(fitted)) this.#variances[index] = fitted;
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

/** The largest variance that observations with this mean can have in a bucket. */
function largestVariance(
  { lower, upper }: IntervalBucket,
  { deviationsBelow, deviationsAbove }: BucketPrior,
  mean: number,
): number {
  const width = upper - lower;
  if (!Number.isFinite(width)) return Infinity;
  const below = mean - lower;
  const above = upper - mean;
  let most = Math.min(below * above, MAX_VARIANCE * width * width / 12);
  // Where next to nothing lies beyond an end, that end is many deviations away.
  if (deviationsBelow > 0) most = Math.min(most, (below / deviationsBelow) ** 2);
  if (deviationsAbove > 0) most = Math.min(most, (above / deviationsAbove) ** 2);
  return most;
}
