import { type CellDensity, CELLS, tiltDensity } from "./bucket_density.ts";
import type { BucketModel } from "./bucket_model.ts";
import { bucketPriors } from "./bucket_prior.ts";
import { fitBucketMoments } from "./fit_bucket_moments.ts";
import { givenSum, weighByGuess } from "./given_sum.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";
import { type SumResiduals, sumResiduals } from "./sum_residuals.ts";

const ITERATIONS = 3;
/** Observations that the density before counts as. */
const PRIOR_COUNT = 20;
/** Beyond this vagueness a sum says nothing about the shape. */
const MAX_VAGUENESS = 12;
/** Least variance, in squared widths of the bucket, that has a shape. */
const MIN_VARIANCE = 1e-4;

/**
 * The model of observations whose distribution is the same in all intervals.
 *
 * The numbers of observations give a first density inside each bucket, the sums of the intervals
 * mean and variance. Where an interval holds few observations its sum says more than these:
 * expectation maximisation turns the density to one that makes such sums likely, with several peaks
 * in one bucket where there are.
 */
export function steadyModel(data: HistogramIntervals, designEffect: number): BucketModel {
  const priors = bucketPriors(data);
  const fit = fitBucketMoments(data, priors, designEffect);
  const densities: (CellDensity | null)[] = [];
  const model: BucketModel = {
    designEffect,
    means: data.buckets.map(({ intervals }, b) =>
      new Float64Array(intervals.length).fill(fit.means[b] as number)
    ),
    variances: data.buckets.map(({ intervals }, b) =>
      new Float64Array(intervals.length).fill(fit.variances[b] as number)
    ),
    density: (bucket) => densities[bucket] as CellDensity,
  };
  const residuals = sumResiduals(data, model);
  data.buckets.forEach((bucket, b) => {
    const { lower, upper, total } = bucket;
    const prior = priors[b]?.density ?? null;
    const width = upper - lower;
    const moments = {
      mean: ((fit.means[b] as number) - lower) / width,
      variance: (fit.variances[b] as number) / width / width,
    };
    densities[b] = prior === null || total === 0
      ? null
      : refined(bucket, tiltDensity(prior, moments.mean, moments.variance), moments, {
        ...residuals,
        designEffect,
      });
  });
  return model;
}

/**
 * Refines a density by the moments of single observations that the sums imply.
 * @param moments of the density, in widths of the bucket from its lower end; they are kept
 */
function refined(
  { lower, upper, intervals, counts }: IntervalBucket,
  density: CellDensity,
  { mean, variance }: { readonly mean: number; readonly variance: number },
  { residuals, variances, designEffect }: SumResiduals & { readonly designEffect: number },
): CellDensity {
  if (!(variance > MIN_VARIANCE)) return density;
  const width = upper - lower;
  const guesses: { readonly count: number; readonly guess: number; readonly variance: number }[] =
    [];
  for (let j = 0; j < intervals.length; j++) {
    const i = intervals[j] as number;
    const { count, guess, guessVariance, vagueness } = givenSum(
      counts[j] as number,
      mean,
      variance,
      (residuals[i] as number) / width,
      (variances[i] as number) / width / width,
      designEffect,
    );
    if (vagueness < MAX_VAGUENESS) guesses.push({ count, guess, variance: guessVariance });
  }
  if (guesses.length === 0) return density;
  const weights = new Float64Array(CELLS);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const expected = density.map((weight) => PRIOR_COUNT * weight);
    for (const { count, guess, variance } of guesses) {
      weighByGuess(density, guess, variance, weights);
      for (let cell = 0; cell < CELLS; cell++) {
        expected[cell] = (expected[cell] as number) + count * (weights[cell] as number);
      }
    }
    density = smoothed(expected);
  }
  return tiltDensity(density, mean, variance);
}

/** Norms weights after averaging neighbours. */
function smoothed(weights: Float64Array): CellDensity {
  let sum = 0;
  const density = weights.map((own, cell) => {
    const value = own / 2 + ((weights[cell - 1] ?? own) + (weights[cell + 1] ?? own)) / 4;
    sum += value;
    return value;
  });
  return density.map((weight) => weight / sum);
}
