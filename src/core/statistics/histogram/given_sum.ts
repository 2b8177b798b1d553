import { type CellDensity, CELLS } from "./bucket_density.ts";

/** Below this, in squared widths of the bucket, a guess is one cell. */
const MIN_GUESS_VARIANCE = 1e-5;

/** Estimates for an interval's observations in one bucket, given the interval's sum. */
export interface GivenSum {
  readonly count: number;
  /** Mean of each observation, given the sum. */
  readonly mean: number;
  readonly deviation: number;
  /**
   * Estimate of one observation if all others of the interval were at their means; its variance is
   * that of the sum of all others.
   */
  readonly guess: number;
  readonly guessVariance: number;
  /** How many times the variance that the observation has without the sum `guessVariance` is. */
  readonly vagueness: number;
}

/**
 * Corrects mean and variance of an interval's observations in a bucket by the interval's sum, as if
 * both were normal. Each observation takes part of the sum's deviation in proportion to its
 * variance; the remaining variance is the uncertainty. Observations that come together with one
 * value move together.
 */
export function givenSum(
  count: number,
  mean: number,
  variance: number,
  residual: number,
  sumVariance: number,
  designEffect: number,
): GivenSum {
  const alike = Math.min(count, designEffect);
  const share = variance * alike / sumVariance;
  const known = Math.min(1, share * alike);
  const vagueness = 1 / known - 1;
  return {
    count,
    mean: mean + share * residual,
    deviation: Math.sqrt(Math.max(0, variance * (1 - known))),
    guess: mean + residual / alike,
    guessVariance: variance * vagueness,
    vagueness,
  };
}

/**
 * Multiplies a density with the normal one of a guess, and norms it.
 * @param guess in widths of the bucket from its lower end
 * @param variance of the guess, in squared widths
 * @param target becomes the product; all 0 if nothing is left of it
 */
export function weighByGuess(
  density: CellDensity,
  guess: number,
  variance: number,
  target: Float64Array,
): void {
  const spread = Math.max(variance, MIN_GUESS_VARIANCE) * CELLS * CELLS;
  // The cell nearest to the guess has weight 1; neighbours follow by recurrence, without exp.
  const nearest = Math.min(CELLS - 1, Math.max(0, Math.round(guess * CELLS - 0.5)));
  const bend = Math.exp(-1 / spread);
  let sum = target[nearest] = density[nearest] as number;
  for (const step of [1, -1]) {
    const distance = ((nearest + 0.5) / CELLS - guess) * step * CELLS;
    let ratio = Math.exp(-(2 * distance + 1) / (2 * spread));
    let weight = 1;
    for (let cell = nearest + step; cell >= 0 && cell < CELLS; cell += step) {
      weight *= ratio;
      ratio *= bend;
      sum += target[cell] = weight * (density[cell] as number);
    }
  }
  if (!(sum > 0)) {
    target.fill(0);
    return;
  }
  for (let cell = 0; cell < CELLS; cell++) target[cell] = (target[cell] as number) / sum;
}
