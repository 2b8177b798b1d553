import type { HistogramWindow } from "./histogram_window.ts";

/**
 * A window with at most so many rows, its first and last among them, evenly spread: what was counted
 * over the whole window stays the same, neighbouring intervals become one. Estimators look at every
 * interval, and those of a few hours tell all that those of a day do.
 */
export function downsampleWindow(window: HistogramWindow, maxRows: number): HistogramWindow {
  const { length, bounds, cumulative, sums, counts } = window;
  if (length <= maxRows) return window;
  const width = bounds.length;
  const rows = Array.from(
    { length: maxRows },
    (_, index) => Math.round(index * (length - 1) / (maxRows - 1)),
  );
  const thinned = new Float64Array(maxRows * width);
  rows.forEach((row, index) => {
    thinned.set(cumulative.subarray(row * width, (row + 1) * width), index * width);
  });
  return {
    ...window,
    length: maxRows,
    cumulative: thinned,
    sums: Float64Array.from(rows, (row) => sums[row] as number),
    counts: Float64Array.from(rows, (row) => counts[row] as number),
  };
}
