import type { HistogramWindow } from "./histogram_window.ts";
import { pickRows } from "./pick_rows.ts";

/** The part of a window whose observations its totals count. */
export interface CoveredWindow {
  readonly window: HistogramWindow;
  /** Whether the totals are the exact number and sum of observations. */
  readonly isExact: boolean;
}

/**
 * Returns the part of a window whose observations are those counted by the difference between its
 * last row and its first row.
 *
 * That is the whole window unless the server restarted in it. After a restart, it is the part since
 * then if nothing had been counted at the reference. Otherwise the difference matches no set of
 * observations, and nothing between its two ends belongs to it.
 *
 * @returns null if the last row is below the first
 */
export function coveredWindow(window: HistogramWindow): CoveredWindow | null {
  const last = window.length - 1;
  let start = 0;
  for (let row = 1; row <= last; row++) {
    if (countsFell(window, row - 1, row) || sumFell(window, row - 1, row)) start = row;
  }
  if (start === 0) return { window, isExact: true };
  if (countsFell(window, 0, last)) return null;
  if (!isZero(window, 0)) return { window: pickRows(window, [0, last]), isExact: false };
  const since = Array.from({ length: last - start + 1 }, (_, index) => start + index);
  return { window: pickRows(window, [0, ...since]), isExact: true };
}

/** Whether a row has fewer observations than another, in all or in a bucket. */
export function countsFell(
  { bounds, cumulative, counts }: HistogramWindow,
  before: number,
  now: number,
): boolean {
  if ((counts[now] as number) < (counts[before] as number)) return true;
  const width = bounds.length;
  for (let bucket = 0; bucket < width; bucket++) {
    const [count, countBefore] = [
      cumulative[now * width + bucket] as number,
      cumulative[before * width + bucket] as number,
    ];
    if (count < countBefore) return true;
  }
  return false;
}

/** Whether a row has a smaller sum than another, although observations cannot be negative. */
export function sumFell(
  { upperBounds, sums }: HistogramWindow,
  before: number,
  now: number,
): boolean {
  const [sum, sumBefore] = [sums[now] as number, sums[before] as number];
  return (upperBounds[0] as number) > 0 && sum < sumBefore - SUM_TOLERANCE * Math.abs(sumBefore);
}

/** Sums that are added up in another order each time differ in their last digits. */
const SUM_TOLERANCE = 1e-9;

function isZero({ bounds, cumulative, counts, sums }: HistogramWindow, row: number): boolean {
  const width = bounds.length;
  const buckets = cumulative.subarray(row * width, (row + 1) * width);
  // A value that the page lacks is NaN, which is not above zero either.
  return !(Math.abs(counts[row] as number) > 0) && !(Math.abs(sums[row] as number) > 0) &&
    buckets.every((count) => count === 0);
}
