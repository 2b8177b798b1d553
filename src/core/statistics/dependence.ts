import { arithmeticMean } from "./arithmetic_mean.ts";

/** Found by simulation: see `scripts/bench/cases/comparisons.ts`. */
const FACTOR_DOUBT = 1.35;

/** How much more uncertain a statistic is than independent blocks would make it. */
export interface Dependence {
  /** Factor of its variance. */
  readonly factor: number;
  /** Degrees of freedom that its variance is known with. */
  readonly freedom: number;
}

/**
 * Returns how much the dependence of neighbouring blocks adds to the variance of a statistic.
 * @param series deviations of blocks from what is expected of them, of each run in order of time
 * @param blocks number of blocks, less where some of them hardly matter
 * @param least smallest factor
 */
export function dependenceOf(
  series: readonly Float64Array[],
  blocks: number,
  least: number,
): Dependence {
  const factor = Math.max(least, dependence(series));
  // The larger the factor, the less exactly it is known itself.
  const independent = blocks / Math.max(1, factor) ** FACTOR_DOUBT;
  return { factor, freedom: Math.max(1, independent - 1) };
}

/**
 * How much blocks of a run depend on their neighbours: by what factor the variance of their mean is
 * larger than if they did not. This is the integrated autocorrelation time, by Geyer's initial
 * positive sequence: autocorrelations are added up in pairs for as long as a pair is positive.
 *
 * @param series deviations of blocks from what is expected of them, of each run in order of time
 */
export function dependence(series: readonly Float64Array[]): number {
  const longest = Math.max(0, ...series.map(({ length }) => length));
  const centred = series.map((values) => {
    const mean = arithmeticMean(values);
    return values.map((value) => value - mean);
  });
  const products = (lag: number): number =>
    centred.reduce((sum, values) => {
      for (let i = lag; i < values.length; i++) {
        sum += (values[i] as number) * (values[i - lag] as number);
      }
      return sum;
    }, 0);
  const squares = products(0);
  if (squares === 0) return 1;
  let factor = -1;
  for (let lag = 0; lag < longest / 2; lag += 2) {
    const pair = (products(lag) + products(lag + 1)) / squares;
    if (pair <= 0) break;
    factor += 2 * pair;
  }
  // Deviations from a mean that was estimated itself correlate too little.
  return factor / Math.max(0.25, 1 - factor / longest);
}

/**
 * Returns the number of equally weighted blocks that some counts are worth; at most the number of
 * blocks.
 */
export function effectiveBlocks(counts: Iterable<number>): number {
  let sum = 0;
  let squares = 0;
  for (const count of counts) {
    sum += count;
    squares += count ** 2;
  }
  return squares === 0 ? 0 : sum ** 2 / squares;
}
