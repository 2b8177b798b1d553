/**
 * By how much delays shift the percentiles of what is measured, if delays and true values do not depend on
 * each other: the measured distribution is that of the true values plus that of the delays.
 *
 * The true quantiles are found by iteration: they are lowered by as much as their sum with the delays
 * is above what was measured. Canaries come in clusters, so the spread of the result is found by drawing
 * blocks of time again and again.
 */

import { percentile } from "../statistics/percentile.ts";
import { randomStream } from "../statistics/random_stream.ts";
import type { TimedDelays } from "./local_delays.ts";

/** Quantiles of the values, and of the delays, that stand for them. */
const VALUE_QUANTILES = 60;
const DELAY_QUANTILES = 32;
const ITERATIONS = 8;
const DRAWS = 8;
/** Standard deviations of a normal distribution between its 10th and its 90th percentile. */
const NORMAL_WIDTH = 2.563;

/** A shift of a percentile and its standard error, in milliseconds. */
export interface QuantileShift {
  readonly shiftMs: number;
  readonly standardErrorMs: number;
}

/** Shifts of percentiles. */
export interface QuantileShifts {
  /** In the order of the percentiles that were asked for. */
  readonly shifts: readonly QuantileShift[];
  /** Spread of the delays, as the standard deviation of a normal distribution of the same width. */
  readonly spreadMs: number;
}

/**
 * Finds the shifts of some percentiles.
 * @param sorted values as measured, in milliseconds
 * @param share of a delay that a value carries
 * @param later delays that make values greater
 * @param earlier delays that make them less
 */
export function quantileShifts(
  sorted: Float64Array,
  percentiles: readonly number[],
  share: number,
  later: TimedDelays,
  earlier: TimedDelays | undefined,
): QuantileShifts {
  const measured = quantiles(sorted, VALUE_QUANTILES);
  const shiftsOf = (delays: Float64Array): number[] => {
    const truth = trueQuantiles(measured, delays);
    return percentiles.map((p) => percentile(measured, p) - percentile(truth, p));
  };
  const random = randomStream(1, "quantile-shift");
  const draws = Array.from(
    { length: DRAWS },
    () => shiftsOf(noise(redrawn(later, random), earlier && redrawn(earlier, random), share)),
  );
  const delays = noise(weightedQuantiles(later), earlier && weightedQuantiles(earlier), share)
    .sort();
  return {
    shifts: shiftsOf(delays).map((shiftMs, index) => ({
      shiftMs,
      standardErrorMs: deviation(draws.map((draw) => draw[index] as number)),
    })),
    spreadMs: (percentile(delays, 90) - percentile(delays, 10)) / NORMAL_WIDTH,
  };
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
}

function trueQuantiles(measured: Float64Array, noise: Float64Array): Float64Array {
  const mean = noise.reduce((sum, delay) => sum + delay, 0) / noise.length;
  let truth = measured.map((value) => Math.max(0, value - mean)).sort();
  const sums = new Float64Array(truth.length * noise.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    let at = 0;
    for (const value of truth) for (const delay of noise) sums[at++] = value + delay;
    const reached = quantiles(sums.sort(), truth.length);
    truth = truth.map((value, i) =>
      Math.max(0, value - ((reached[i] as number) - (measured[i] as number)))
    ).sort();
  }
  return truth;
}

/** Quantiles of what a value carries: a later delay less an earlier one. */
function noise(late: Float64Array, early: Float64Array | undefined, share: number): Float64Array {
  if (early === undefined) return late.map((delay) => delay * share);
  const differences = new Float64Array(late.length * early.length);
  let at = 0;
  for (const a of late) for (const b of early) differences[at++] = (a - b) * share;
  return quantiles(differences.sort(), DELAY_QUANTILES);
}

/** Values in the middle of equal parts of a sorted array. */
function quantiles(sorted: Float64Array, count: number): Float64Array {
  return Float64Array.from(
    { length: count },
    (_, i) => percentile(sorted, (i + 0.5) / count * 100),
  );
}

/** Quantiles of delays in milliseconds, each weighing as many chunks as it stands for. */
function weightedQuantiles(
  { delayMs, weight }: TimedDelays,
  rows: readonly number[] = Array.from(delayMs.keys()),
): Float64Array {
  const order = rows.toSorted((a, b) => (delayMs[a] as number) - (delayMs[b] as number));
  const total = order.reduce((sum, row) => sum + (weight[row] as number), 0);
  const found = new Float64Array(DELAY_QUANTILES);
  let below = 0;
  let next = 0;
  for (const row of order) {
    below += weight[row] as number;
    while (next < DELAY_QUANTILES && below >= (next + 0.5) / DELAY_QUANTILES * total) {
      found[next++] = delayMs[row] as number;
    }
  }
  while (next < DELAY_QUANTILES) found[next++] = delayMs[order.at(-1) as number] ?? 0;
  return found;
}

/** Quantiles of delays whose blocks of time were drawn with replacement. */
function redrawn(delays: TimedDelays, random: () => number): Float64Array {
  const { blocks } = delays;
  const rows = blocks.flatMap(() => blocks[Math.floor(random() * blocks.length)] as number[]);
  return weightedQuantiles(delays, rows);
}
