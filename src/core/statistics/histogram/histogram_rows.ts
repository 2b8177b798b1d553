import type { HistogramWindow } from "./histogram_window.ts";

/** One readable sample of a histogram. */
export interface HistogramRow {
  /** Observations at or below each of {@linkcode closedBounds}. */
  readonly cumulative: Float64Array;
  /** NaN if the page had none. */
  readonly sum: number;
}

/** The upper bounds of a window, with Infinity last in any case. */
export function closedBounds({ upperBounds }: HistogramWindow): number[] {
  const bounds = [...upperBounds];
  if (bounds.at(-1) !== Infinity) bounds.push(Infinity);
  return bounds;
}

/** The value above which a bucket holds its observations. */
export function lowerBound(bounds: readonly number[], bucket: number): number {
  if (bucket > 0) return bounds[bucket - 1] as number;
  // Latencies and sizes are not negative; what has a bound at or below zero may be.
  return (bounds[0] as number) > 0 ? 0 : -Infinity;
}

/**
 * Yields the rows of a window whose counts are numbers. Without a bucket `+Inf`, the count replaces
 * it.
 */
export function* readableRows(window: HistogramWindow): Generator<HistogramRow> {
  const { upperBounds, length, cumulative, sums, counts } = window;
  const width = upperBounds.length;
  const isClosed = upperBounds[width - 1] === Infinity;
  for (let row = 0; row < length; row++) {
    const told = cumulative.subarray(row * width, (row + 1) * width);
    const all = isClosed ? told : withLastBucket(told, counts[row] as number);
    const sum = sums[row] as number;
    if (areFinite(all)) yield { cumulative: all, sum: Number.isFinite(sum) ? sum : NaN };
  }
}

/** Whether any bucket has fewer observations than before, as after a restart of the server. */
export function hasFallen(before: Float64Array, now: Float64Array): boolean {
  for (let bucket = 0; bucket < now.length; bucket++) {
    if ((now[bucket] as number) < (before[bucket] as number)) return true;
  }
  return false;
}

/** The amount by which the sum between two rows may be off by rounding. */
export function sumRounding(before: number, now: number, observations: number): number {
  return Number.EPSILON * Math.max(Math.abs(before), Math.abs(now)) * (observations + 2);
}

function withLastBucket(told: Float64Array, count: number): Float64Array {
  const below = told.at(-1) ?? 0;
  return Float64Array.of(...told, count > below ? count : below);
}

function areFinite(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
