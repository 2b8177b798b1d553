import type { HistogramWindow } from "./histogram_window.ts";

/** Totals of a histogram over a whole window. */
export interface HistogramTotals {
  /** Ascending, Infinity last if there is such a bucket. */
  readonly upperBounds: Float64Array;
  /** Observations at or below each bound. */
  readonly cumulative: Float64Array;
  /** Sum of all observations; NaN if unknown. */
  readonly sum: number;
  readonly count: number;
}

/**
 * The difference between the last row of a window and its first.
 *
 * Without `_count`, the `+Inf` bucket replaces it; a missing `_sum` has no replacement.
 *
 * @returns null if a bucket or the count decreased or is no number, or nothing was counted
 */
export function histogramTotals(window: HistogramWindow): HistogramTotals | null {
  const { upperBounds, length, cumulative, sums, counts } = window;
  const width = upperBounds.length;
  if (length < 2 || width === 0) return null;
  const last = (length - 1) * width;
  const deltas = new Float64Array(width);
  for (let i = 0; i < width; i++) {
    const delta = (cumulative[last + i] as number) - (cumulative[i] as number);
    if (!(delta >= 0 && delta < Infinity)) return null;
    deltas[i] = delta;
  }
  const counted = (counts[length - 1] as number) - (counts[0] as number);
  const count = Number.isNaN(counted) ? deltas[width - 1] as number : counted;
  if (!(count > 0 && count < Infinity)) return null;
  return {
    upperBounds,
    cumulative: deltas,
    sum: (sums[length - 1] as number) - (sums[0] as number),
    count,
  };
}
