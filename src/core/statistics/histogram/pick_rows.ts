import type { HistogramWindow } from "./histogram_window.ts";

/** A window of some of the rows. */
export function pickRows(window: HistogramWindow, rows: readonly number[]): HistogramWindow {
  const width = window.bounds.length;
  const cumulative = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    cumulative.set(window.cumulative.subarray(row * width, (row + 1) * width), index * width);
  });
  return {
    ...window,
    length: rows.length,
    cumulative,
    sums: Float64Array.from(rows, (row) => window.sums[row] as number),
    counts: Float64Array.from(rows, (row) => window.counts[row] as number),
  };
}
