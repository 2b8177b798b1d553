import type { HistogramWindow } from "../../../src/core/statistics/histogram/histogram_window.ts";

/** One scrape of a histogram: its cumulative buckets, sum and count. */
export interface HistogramRow {
  readonly cumulative: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** A window with these rows; the first one is the reference. */
export function windowOf(
  bounds: readonly string[],
  rows: readonly HistogramRow[],
): HistogramWindow {
  return {
    bounds,
    upperBounds: Float64Array.from(bounds, (bound) => Number(bound.replace("+Inf", "Infinity"))),
    length: rows.length,
    cumulative: Float64Array.from(rows.flatMap((row) => row.cumulative)),
    sums: Float64Array.from(rows, (row) => row.sum),
    counts: Float64Array.from(rows, (row) => row.count),
  };
}

/** What an exporter shows of these observations, scraped after each interval. */
export function scrape(
  bounds: readonly string[],
  intervals: readonly (readonly number[])[],
): HistogramWindow {
  const upper = bounds.map((bound) => Number(bound.replace("+Inf", "Infinity")));
  const counts = upper.map(() => 0);
  let sum = 0;
  let count = 0;
  const rows: HistogramRow[] = [{ cumulative: [...counts], sum, count }];
  for (const values of intervals) {
    for (const value of values) {
      upper.forEach((bound, i) => counts[i] = (counts[i] as number) + (value <= bound ? 1 : 0));
      sum += value;
      count++;
    }
    rows.push({ cumulative: [...counts], sum, count });
  }
  return windowOf(bounds, rows);
}
