import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import { lowerBound, upperBound } from "../../core/statistics/search_sorted.ts";

export type { TimeWindow };

/**
 * The window of totals: servers publish their counts late, so that every scrape since the start
 * adds to them, unless the run continues.
 */
export function withFlush({ startNs, endNs, goesOn = false }: TimeWindow): TimeWindow {
  return { startNs, endNs: goesOn ? endNs : Infinity };
}

/** Rows of an endpoint's scrapes that lie in a window: `first` to `last`, none if `last < first`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The scrapes in a window. */
export function rowsIn(timesNs: Float64Array, { startNs, endNs }: TimeWindow): RowRange {
  return { first: lowerBound(timesNs, startNs), last: upperBound(timesNs, endNs) - 1 };
}

/**
 * The time from which a series counts from zero: that of a scrape which did not have it yet. The
 * last such scrape before the window, else the first of all.
 * @param firstPageNs time of the first page that can show a series' absence, NaN for none
 * @param firstRow the series' first row
 * @param windowFirst the first row in the window
 * @returns undefined if there is no such scrape
 */
export function birthNs(
  timesNs: Float64Array,
  firstPageNs: number,
  firstRow: number,
  windowFirst: number,
): number | undefined {
  const before = timesNs[Math.max(0, Math.min(windowFirst, firstRow) - 1)] as number;
  if (firstRow > 0 && before >= firstPageNs) return before;
  return firstPageNs < (timesNs[firstRow] as number) ? firstPageNs : undefined;
}
