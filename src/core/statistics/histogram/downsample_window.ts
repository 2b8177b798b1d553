import type { HistogramWindow } from "./histogram_window.ts";
import { pickRows } from "./pick_rows.ts";

/**
 * A window reduced to a maximum number of rows, its first and last among them, evenly spread: what
 * was counted over the whole window stays the same, neighbouring intervals become one. Estimators
 * look at every interval, and those of a few hours hold as much information as those of a day.
 */
export function downsampleWindow(window: HistogramWindow, maxRows: number): HistogramWindow {
  const { length } = window;
  if (length <= maxRows) return window;
  const rows = Array.from(
    { length: maxRows },
    (_, index) => Math.round(index * (length - 1) / (maxRows - 1)),
  );
  return pickRows(window, rows);
}
