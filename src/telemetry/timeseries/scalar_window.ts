import type { SampleWindow } from "../../core/statistics/sample_window.ts";
import { birthNs, rowsIn, type TimeWindow } from "./time_window.ts";
import type { ValueColumn } from "./value_column.ts";

/**
 * The samples of a series in a window, and the one before it as the reference.
 *
 * A series that is first seen in the window, while a scrape before did not have it, was created in
 * between: its reference is 0 at the time of that scrape.
 * @param firstPageNs time of the first page that can show the series' absence, NaN for none
 * @returns undefined if the series has no sample in the window
 */
export function scalarWindow(
  column: ValueColumn,
  timesNs: Float64Array,
  firstPageNs: number,
  window: TimeWindow,
): SampleWindow | undefined {
  const { first, last } = rowsIn(timesNs, window);
  if (last < first || column.lastRow < first) return undefined;
  const rowsAtMost = Math.min(last, column.lastRow) - first + 1;
  const times = new Float64Array(rowsAtMost);
  const values = new Float64Array(rowsAtMost);
  let length = 0;
  let firstRow = -1;
  let referenceRow = -1;
  let referenceValue = 0;
  for (const { startRow, endRow, value } of column.runs()) {
    if (firstRow < 0) firstRow = startRow;
    if (startRow < first) {
      referenceRow = Math.min(endRow, first) - 1;
      referenceValue = value;
    }
    if (startRow > last) break;
    for (let row = Math.max(startRow, first); row < endRow && row <= last; row++) {
      times[length] = timesNs[row] as number;
      values[length++] = value;
    }
  }
  if (length === 0) return undefined;
  return {
    timesNs: times.subarray(0, length),
    values: values.subarray(0, length),
    reference: referenceRow >= 0
      ? { timeNs: timesNs[referenceRow] as number, value: referenceValue }
      : bornAt(birthNs(timesNs, firstPageNs, firstRow, first)),
  };
}

function bornAt(timeNs: number | undefined): SampleWindow["reference"] {
  return timeNs === undefined ? undefined : { timeNs, value: 0 };
}
