/**
 * By how much delays shift the percentiles of what is measured, if delays and true values do not depend on
 * each other: the measured distribution is that of the true values plus that of the delays.
 *
 * The true quantiles are found by iteration: they are lowered by as much as their sum with the delays
 * is above what was measured. Canaries come in clusters, so the spread of the result is found by drawing
 * blocks of time again and again, the same ones for later and earlier delays.
 */

import { percentile } from "../statistics/percentile.ts";
import { randomStream } from "../statistics/random_stream.ts";
import { upperBound } from "../statistics/search_sorted.ts";
import { sortedSums } from "./sorted_sums.ts";
import type { TimedDelays } from "./timed_delays.ts";

/** Quantiles of the values, and of the delays, that stand for them. */
const VALUE_QUANTILES = 60;
const DELAY_QUANTILES = 32;
const ITERATIONS = 8;
const DRAWS = 8;
/** Percents of the values about a percentile by which their density there is found. */
const DENSITY_WIDTH = 20;

/** A shift of a percentile, in milliseconds. */
export interface QuantileShift {
  readonly shiftMs: number;
  /** Standard error, as canaries are a draw of the delays to be expected. */
  readonly standardErrorMs: number;
  /** Standard deviation of what was measured, as the values' own delays are a draw of them, too. */
  readonly drawnMs: number;
}

/**
 * Finds the shifts of some percentiles, in their order.
 * @param sorted values as measured, in milliseconds, or a sample of them
 * @param count of all values
 * @param share of a delay that a value carries
 * @param later delays that make values greater
 * @param earlier delays that make them less
 */
export function quantileShifts(
  sorted: Float64Array,
  count: number,
  percentiles: readonly number[],
  share: number,
  later: TimedDelays,
  earlier: TimedDelays | undefined,
): QuantileShift[] {
  const measured = quantiles(sorted, VALUE_QUANTILES);
  const shiftsOf = (truth: Float64Array): readonly number[] =>
    percentiles.map((p) => percentile(measured, p) - percentile(truth, p));
  /** What was found before: of a short run, most draws are the same. */
  const known: { readonly delays: Float64Array; readonly truth: Float64Array }[] = [];
  const truthOf = (delays: Float64Array): Float64Array => {
    const before = known.find((other) => areEqual(other.delays, delays));
    if (before !== undefined) return before.truth;
    const truth = trueQuantiles(measured, delays);
    known.push({ delays, truth });
    return truth;
  };
  const random = randomStream(1, "quantile-shift");
  const draws = Array.from({ length: DRAWS }, () => {
    const [late, early] = redrawn(earlier === undefined ? [later] : [later, earlier], random);
    return shiftsOf(truthOf(noise(late as Float64Array, early, share)));
  });
  const delays = noise(weightedQuantiles(later), earlier && weightedQuantiles(earlier), share);
  const truth = truthOf(delays);
  return shiftsOf(truth).map((shiftMs, index) => ({
    shiftMs,
    standardErrorMs: deviation(draws.map((draw) => draw[index] as number)),
    drawnMs: drawnMs(sorted, count, percentiles[index] as number, truth, delays),
  }));
}

/**
 * Standard deviation of a percentile of n sums of a true value and a delay, of which only the delays
 * are drawn: with F_i the share of delays that leave the i-th sum below it, and f the density of the
 * sums there, sqrt(sum F_i (1 - F_i)) / (n f). Between values that are farther apart than delays reach,
 * hardly any i counts, and the percentile has the delay of one value: with evenly spread ones the sum is
 * n f times half of the mean difference of two delays, and no spread is greater than that of a delay.
 * @param count n, of which the values are a sample
 */
function drawnMs(
  sorted: Float64Array,
  count: number,
  p: number,
  truth: Float64Array,
  delays: Float64Array,
): number {
  const at = percentile(sorted, p);
  let variance = 0;
  for (const value of truth) {
    const below = upperBound(delays, at - value) / delays.length;
    variance += below * (1 - below) / truth.length;
  }
  const width = Math.min(DENSITY_WIDTH, 100 - p);
  const spanMs = percentile(sorted, p + width / 2) - percentile(sorted, p - width / 2);
  const apartMs = spanMs / (width / 100) / count;
  return Math.max(
    Math.sqrt(variance * count) * apartMs,
    Math.min(deviation(delays), Math.sqrt(meanDifference(delays) / 2 * apartMs)),
  );
}

/** The mean difference of two values of a sorted array. */
function meanDifference(sorted: Float64Array): number {
  const { length } = sorted;
  const least = sorted[0] ?? 0;
  // From the least on, so that rounding makes nothing of those that are all the same.
  const sum = sorted.reduce((all, value, i) => all + (2 * i + 1 - length) * (value - least), 0);
  return 2 * sum / length ** 2;
}

function deviation(values: ArrayLike<number>): number {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (all.length - 1));
}

function areEqual(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** @param noise ascending */
function trueQuantiles(measured: Float64Array, noise: Float64Array): Float64Array {
  const count = measured.length;
  const mean = noise.reduce((sum, delay) => sum + delay, 0) / noise.length;
  let truth = measured.map((value) => Math.max(0, value - mean)).sort();
  const sums = count * noise.length;
  const room = [new Float64Array(sums), new Float64Array(sums)] as const;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const reached = quantiles(sortedSums(truth, noise, room), count);
    const next = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const tooHigh = (reached[i] as number) - (measured[i] as number);
      next[i] = Math.max(0, (truth[i] as number) - tooHigh);
    }
    truth = next.sort();
  }
  return truth;
}

/** Quantiles of what a value carries, ascending: a later delay less an earlier one. */
function noise(late: Float64Array, early: Float64Array | undefined, share: number): Float64Array {
  if (early === undefined) return late.map((delay) => delay * share);
  const differences = new Float64Array(late.length * early.length);
  let at = 0;
  for (const a of late) for (const b of early) differences[at++] = (a - b) * share;
  return quantiles(differences.sort(), DELAY_QUANTILES);
}

/** Values in the middle of equal parts of a sorted array. */
function quantiles(sorted: Float64Array, count: number): Float64Array {
  const found = new Float64Array(count);
  for (let i = 0; i < count; i++) found[i] = percentile(sorted, (i + 0.5) / count * 100);
  return found;
}

/**
 * Quantiles of delays in milliseconds, each weighing as many chunks as it stands for.
 * @param times how often each block of time counts; undefined for once
 */
function weightedQuantiles(
  { blockOf, delayMs, order, weight }: TimedDelays,
  times?: Uint32Array,
): Float64Array {
  const timesOf = (row: number): number => times?.[blockOf[row] as number] ?? 1;
  let total = 0;
  for (const row of order) {
    for (let time = timesOf(row); time > 0; time--) total += weight[row] as number;
  }
  const found = new Float64Array(DELAY_QUANTILES);
  let below = 0;
  let next = 0;
  let longest = 0;
  for (const row of order) {
    const delay = delayMs[row] as number;
    for (let time = timesOf(row); time > 0; time--) {
      below += weight[row] as number;
      longest = delay;
      while (next < DELAY_QUANTILES && below >= (next + 0.5) / DELAY_QUANTILES * total) {
        found[next++] = delay;
      }
    }
  }
  return found.fill(longest, next);
}

/** Quantiles of delays whose blocks of time were drawn with replacement, the same ones of all. */
function redrawn(all: readonly TimedDelays[], random: () => number): Float64Array[] {
  const times = [...new Set(all.flatMap(({ blockTimes }) => blockTimes))];
  const counts = new Map<number, number>();
  for (let draw = 0; draw < times.length; draw++) {
    const time = times[Math.floor(random() * times.length)] as number;
    counts.set(time, (counts.get(time) ?? 0) + 1);
  }
  return all.map((delays) =>
    weightedQuantiles(delays, Uint32Array.from(delays.blockTimes, (time) => counts.get(time) ?? 0))
  );
}
