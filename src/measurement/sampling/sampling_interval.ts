import { dependenceOf, effectiveBlocks } from "../../core/statistics/dependence.ts";
import { NORMAL_95 } from "../../core/statistics/normal_95.ts";
import { studentFactor } from "../../core/statistics/student_factor.ts";

/** Minimum number of blocks to estimate their variance. */
const MIN_BLOCKS = 2;
/**
 * Minimum number of blocks to estimate their dependence: with fewer, blocks are assumed to be
 * independent samples.
 */
const MIN_DEPENDENT = 16;
/** Minimum variance of a rate, as a fraction of the variance of independent blocks. */
const LEAST_RATE_FACTOR = 0.1;

/**
 * 95 % confidence interval of a statistic: in 95 of 100 runs like this one it contains the value that an
 * endless run would have.
 */
export interface SamplingInterval {
  /** Negative infinity if no lower end is known. */
  readonly lower: number;
  /** Infinity if no upper end is known. */
  readonly upper: number;
}

/** Interval of a statistic of which nothing is known. */
const NO_INTERVAL: SamplingInterval = { lower: -Infinity, upper: Infinity };

/**
 * Returns the confidence interval of the ratio `sum(parts) / sum(wholes)` over blocks, such as a
 * mean (sums by counts) or a rate (counts by seconds). It follows from the deviation of each
 * block's part from its expected one (Cochran, Sampling Techniques, section 6.4), and the
 * dependence of neighbouring blocks.
 * @param areRates whether blocks may alternate, as with users who wait for each other's replies
 */
export function ratioInterval(
  parts: Float64Array,
  wholes: Float64Array,
  areRates = false,
): SamplingInterval {
  const whole = sumOf(wholes);
  const ratio = sumOf(parts) / whole;
  const deviations = parts.map((part, block) => part - ratio * (wholes[block] as number));
  const half = halfWidth(deviations, parts.length, areRates ? LEAST_RATE_FACTOR : 1) / whole;
  return half >= 0 ? { lower: ratio - half, upper: ratio + half } : NO_INTERVAL;
}

/**
 * Half the width of the interval of a percentile's rank, in ranks: binomial, or by how much the numbers
 * of larger values in blocks deviate, whichever is wider.
 * @param above number of values above the percentile, by block
 * @param counts number of all values, by block
 * @param share share of values above the percentile, such as 0.01 of p99
 */
export function rankHalfWidth(above: Float64Array, counts: Float64Array, share: number): number {
  const count = sumOf(counts);
  // Where many values are equal to the percentile, fewer are above it.
  const found = sumOf(above) / count;
  const deviations = above.map((number, block) => number - found * (counts[block] as number));
  const drawn = NORMAL_95 * Math.sqrt(count * share * (1 - share));
  return Math.max(drawn, halfWidth(deviations, effectiveBlocks(above), 1));
}

/** Half the width of the interval of a sum over blocks; NaN if the blocks are too few. */
function halfWidth(deviations: Float64Array, blocks: number, least: number): number {
  const { length } = deviations;
  if (length < MIN_BLOCKS) return NaN;
  const squares = deviations.reduce((sum, deviation) => sum + deviation * deviation, 0);
  const { factor, freedom } = length < MIN_DEPENDENT
    ? { factor: 1, freedom: Math.max(1, blocks - 1) }
    : dependenceOf([deviations], blocks, least);
  return Math.sqrt(squares * length / (length - 1) * factor) * studentFactor(NORMAL_95, freedom);
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
