import { CompensatedSum } from "./compensated_sum.ts";
import { largeValues } from "./large_summary.ts";
import { percentile } from "./percentile.ts";
import { sortNumbers } from "./sort_numbers.ts";
import type { SortedValues } from "./sorted_values.ts";

/** The percentiles that every summary carries. */
export const SUMMARY_PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99] as const;

/**
 * Statistics of a set of values. All fields but `count` and `sum` are NaN for no values; all but
 * `count` are where one of the values is NaN, as numpy's are.
 */
export interface Summary {
  readonly count: number;
  readonly sum: number;
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation; of the population unless `ddof` said otherwise. */
  readonly std: number;
  readonly p1: number;
  readonly p5: number;
  readonly p10: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** Options of {@linkcode summarize}. */
export interface SummarizeOptions {
  /**
   * Delta degrees of freedom: the squared deviations are divided by `count - ddof`.
   * @default 0 as numpy
   */
  readonly ddof?: 0 | 1;
}

/**
 * Summarizes values: count, sum, mean, extremes, standard deviation and percentiles.
 *
 * Percentiles equal numpy's bit for bit. Mean and deviation are computed on values shifted by the
 * first one, with compensated sums and the corrected two-pass formula
 * `var = (sum(d^2) - sum(d)^2 / n) / (n - ddof)`, which stays within 1e-15 of the exact value also
 * where numpy's own loses digits.
 *
 * @example
 * ```ts
 * import { summarize } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * const { avg, std, p50 } = summarize(Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9));
 * assert.deepEqual([avg, std, p50], [5, 2, 4.5]);
 * ```
 *
 * @param values in any order; they are copied, not sorted in place
 */
export function summarize(values: Float64Array, options: SummarizeOptions = {}): Summary {
  return summarizeLarge(values, options) ?? summarizeSorted(sortNumbers(values.slice()), options);
}

/** {@linkcode summarize} for values of the caller's that may be sorted in place. */
export function summarizeOwn(values: Float64Array<ArrayBuffer>): Summary {
  return summarizeLarge(values, {}) ?? summarizeSorted(sortNumbers(values));
}

/** Number of values from which only the wanted ranks are selected, without sorting the others. */
const MIN_LARGE = 200_000;

/** The summary of many values; undefined if they are few, or too large to be squared. */
function summarizeLarge(
  values: Float64Array,
  { ddof = 0 }: SummarizeOptions,
): Summary | undefined {
  const count = values.length;
  if (count < MIN_LARGE) return undefined;
  const places = SUMMARY_PERCENTILES.flatMap((p) => {
    const place = Math.floor((count - 1) * (p / 100));
    return [place, place + 1];
  });
  const { max, mean, min, sorted, squares, sum } = largeValues(values, places);
  if (Math.abs(min) > LARGE || Math.abs(max) > LARGE) return undefined;
  const std = Math.sqrt(Math.max(0, squares / (count - ddof)));
  return summaryOf(sorted, { min, max }, { sum, mean, std });
}

/** {@linkcode summarize} for values that are in ascending order already. */
export function summarizeSorted(sorted: SortedValues, options: SummarizeOptions = {}): Summary {
  // Over the sorted values, so that the result does not depend on the order in which they came.
  const moments = momentsOf(sorted, options.ddof ?? 0);
  const max = lastOf(sorted);
  // In ascending order, NaN is last.
  const min = Number.isNaN(max) ? NaN : firstOf(sorted);
  return summaryOf(sorted, { min, max }, moments);
}

/** @param sorted of which only the values about the percentiles are looked at */
function summaryOf(
  sorted: SortedValues,
  { max, min }: Pick<Summary, "min" | "max">,
  { mean, std, sum }: Moments,
): Summary {
  return {
    count: sorted.length,
    sum,
    // Rounded, the mean of equal values may be next to them: three times 0.1 is more than 0.3.
    avg: Math.min(max, Math.max(min, mean)),
    min,
    max,
    std,
    p1: percentile(sorted, 1),
    p5: percentile(sorted, 5),
    p10: percentile(sorted, 10),
    p25: percentile(sorted, 25),
    p50: percentile(sorted, 50),
    p75: percentile(sorted, 75),
    p90: percentile(sorted, 90),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
  };
}

/** Sum, mean, and standard deviation. */
interface Moments {
  readonly sum: number;
  readonly mean: number;
  readonly std: number;
}

/** Squares and sums of larger values may overflow; a power of two takes no digit from them. */
const LARGE = 1e140;
const SCALE = 2 ** -600;

function firstOf(sorted: SortedValues): number {
  return sorted.length === 0 ? NaN : sorted.at(0) as number;
}

function lastOf(sorted: SortedValues): number {
  return sorted.length === 0 ? NaN : sorted.at(sorted.length - 1) as number;
}

function momentsOf(sorted: SortedValues, ddof: number): Moments {
  if (!(Math.abs(firstOf(sorted)) > LARGE || Math.abs(lastOf(sorted)) > LARGE)) {
    return plainMomentsOf(sorted, ddof);
  }
  const { length } = sorted;
  const scaled = { length, at: (index: number) => sorted.at(index) as number * SCALE };
  const { sum, mean, std } = plainMomentsOf(scaled, ddof);
  return { sum: sum / SCALE, mean: mean / SCALE, std: std / SCALE };
}

/** Values that are looked at together. */
const BLOCK = 4096;

function plainMomentsOf(values: SortedValues, ddof: number): Moments {
  const count = values.length;
  if (count === 0) return { sum: 0, mean: NaN, std: NaN };
  const room = new Float64Array(Math.min(count, BLOCK));
  const shift = values.at(0) as number;
  const total = new CompensatedSum();
  const shifted = new CompensatedSum();
  for (let start = 0; start < count; start += BLOCK) {
    const block = blockOf(values, start, room);
    total.addAll(block);
    subtract(block, shift);
    shifted.addAll(block);
  }
  const sum = total.value;
  const meanShift = shifted.value / count;
  const squares = new CompensatedSum();
  const residues = new CompensatedSum();
  for (let start = 0; start < count; start += BLOCK) {
    const block = blockOf(values, start, room);
    subtract(block, shift);
    subtract(block, meanShift);
    residues.addAll(block);
    square(block);
    squares.addAll(block);
  }
  const residue = residues.value;
  const variance = (squares.value - residue * residue / count) / (count - ddof);
  return { sum, mean: sum / count, std: Math.sqrt(Math.max(0, variance)) };
}

// Each loop is a function of its own: what is compiled for one of them holds for all.

function subtract(values: Float64Array, value: number): void {
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) - value;
}

function square(values: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) * (values[i] as number);
}

/** Returns values starting at a position, in an array that may be changed. */
function blockOf(values: SortedValues, start: number, room: Float64Array): Float64Array {
  const block = room.subarray(0, Math.min(room.length, values.length - start));
  if (values instanceof Float64Array) block.set(values.subarray(start, start + block.length));
  else if (values.copyInto !== undefined) values.copyInto(start, block);
  else copyEach(values, start, block);
  return block;
}

function copyEach(values: SortedValues, start: number, target: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] = values.at(start + i) as number;
}
