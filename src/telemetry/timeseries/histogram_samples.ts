import { countsFell, sumFell } from "../../core/statistics/histogram/covered_window.ts";
import type { HistogramWindow } from "../../core/statistics/histogram/histogram_window.ts";
import type { Bucket, HistogramSeries } from "./series.ts";
import { birthNs, rowsIn, type TimeWindow } from "./time_window.ts";
import type { ValueColumn } from "./value_column.ts";

/** Selection of samples. */
export interface HistogramSamplesOptions {
  /** Whether samples that equal the one before are there, too. @default false */
  readonly unchanged?: boolean;
}

/** The samples of a histogram from its reference to the last one in a window. */
export interface HistogramSamples {
  /**
   * The samples at which anything changed, the reference first and the last one last. Bounds are
   * those that both of these have.
   */
  readonly window: HistogramWindow;
  /** Times of those samples, in nanoseconds of the run's clock. */
  readonly timesNs: Float64Array;
  /** Whether any number decreased, as after a server restart. */
  readonly reset: boolean;
  /** Whether the first sample is the zero of a series that no scrape had before. */
  readonly isBorn: boolean;
  /** Whether the first and the last sample have other bounds than each other. */
  readonly boundsChanged: boolean;
}

/**
 * Returns the samples of a histogram in a window, including its reference. The reference is the
 * last sample before the window, or zero for a series that first appears in the window and was
 * missing in an earlier scrape. Otherwise it is the first sample.
 * @param firstPageNs time of the first page that can show the series' absence, NaN for none
 * @returns undefined if the series has no sample in the window
 */
export function histogramSamples(
  series: HistogramSeries,
  timesNs: Float64Array,
  firstPageNs: number,
  window: TimeWindow,
  options: HistogramSamplesOptions = {},
): HistogramSamples | undefined {
  const range = rowsIn(timesNs, window);
  const buckets = series.buckets;
  const present = presentRows([...buckets.map(({ counts }) => counts), series.count, series.sum]);
  const lastRow = lastPresent(present, range.last);
  if (lastRow < range.first) return undefined;
  const before = lastPresent(present, range.first - 1);
  const firstRow = present.indexOf(1);
  const bornNs = before >= 0 ? undefined : birthNs(timesNs, firstPageNs, firstRow, range.first);
  const startRow = before >= 0 ? before : firstRow;
  const rows = Array.from({ length: lastRow - startRow + 1 }, (_, index) => startRow + index)
    .filter((row) => present[row] === 1);

  const columns = buckets.map(({ counts }) => dense(counts, startRow, lastRow));
  const has = (column: Float64Array, row: number) =>
    !Number.isNaN(column[row - startRow] as number);
  const atEnd = buckets.filter((_, index) => has(columns[index] as Float64Array, lastRow));
  const atStart = bornNs === undefined
    ? buckets.filter((_, index) => has(columns[index] as Float64Array, startRow))
    : atEnd;
  const common = buckets.filter((bucket) => atEnd.includes(bucket) && atStart.includes(bucket));
  const used = common.map((bucket) => columns[buckets.indexOf(bucket)] as Float64Array);
  const counts = countColumn(series, common, used, startRow, lastRow);
  const sums = dense(series.sum, startRow, lastRow);
  const parts = [...used, counts, sums];
  for (const part of parts) carry(part);
  const kept = rows.filter((row, index) =>
    options.unchanged || index === 0 || row === lastRow ||
    parts.some((part) =>
      !Object.is(part[row - startRow], part[(rows[index - 1] as number) - startRow])
    )
  );
  return build(kept, startRow, common, used, counts, sums, timesNs, bornNs, {
    boundsChanged: atStart.length !== common.length || atEnd.length !== common.length,
  });
}

function build(
  rows: readonly number[],
  startRow: number,
  buckets: readonly Bucket[],
  columns: readonly Float64Array[],
  counts: Float64Array,
  sums: Float64Array,
  timesNs: Float64Array,
  bornNs: number | undefined,
  { boundsChanged }: { boundsChanged: boolean },
): HistogramSamples {
  const width = buckets.length;
  const offset = bornNs === undefined ? 0 : 1;
  const length = rows.length + offset;
  const cumulative = new Float64Array(length * width);
  const result = {
    bounds: buckets.map(({ bound }) => bound),
    upperBounds: Float64Array.from(buckets, ({ upperBound }) => upperBound),
    length,
    cumulative,
    sums: new Float64Array(length),
    counts: new Float64Array(length),
  };
  const times = new Float64Array(length);
  if (bornNs !== undefined) times[0] = bornNs;
  rows.forEach((row, index) => {
    const to = index + offset;
    const from = row - startRow;
    times[to] = timesNs[row] as number;
    columns.forEach((column, bucket) => {
      cumulative[to * width + bucket] = column[from] as number;
    });
    result.sums[to] = sums[from] as number;
    result.counts[to] = counts[from] as number;
  });
  if (bornNs !== undefined && Number.isNaN(result.sums[length - 1] as number)) result.sums[0] = NaN;
  return {
    window: result,
    timesNs: times,
    reset: hasFallen(result),
    isBorn: bornNs !== undefined,
    boundsChanged,
  };
}

/** 1 for each row in which any of the columns has a value. */
function presentRows(columns: readonly ValueColumn[]): Uint8Array {
  const last = columns.reduce((most, { lastRow }) => Math.max(most, lastRow), -1);
  const present = new Uint8Array(last + 1);
  for (const column of columns) {
    for (const { startRow, endRow } of column.runs()) present.fill(1, startRow, endRow);
  }
  return present;
}

function lastPresent(present: Uint8Array, row: number): number {
  return row < 0 ? -1 : present.lastIndexOf(1, Math.min(row, present.length - 1));
}

/** A column's values of some rows, NaN where it has none. */
function dense(column: ValueColumn, firstRow: number, lastRow: number): Float64Array {
  const values = new Float64Array(lastRow - firstRow + 1).fill(NaN);
  for (const { startRow, endRow, value } of column.runs()) {
    if (startRow > lastRow) break;
    if (endRow <= firstRow) continue;
    values.fill(value, Math.max(0, startRow - firstRow), Math.min(endRow, lastRow + 1) - firstRow);
  }
  return values;
}

/** The number of observations; where a server does not report it, its infinite bucket. */
function countColumn(
  series: HistogramSeries,
  buckets: readonly Bucket[],
  columns: readonly Float64Array[],
  firstRow: number,
  lastRow: number,
): Float64Array {
  const counts = dense(series.count, firstRow, lastRow);
  const infinite = columns[buckets.findIndex(({ upperBound }) => upperBound === Infinity)];
  if (infinite === undefined) return counts;
  return counts.map((count, row) => Number.isNaN(count) ? infinite[row] as number : count);
}

/** Fills gaps with the value before them. */
function carry(values: Float64Array): void {
  for (let row = 1; row < values.length; row++) {
    if (Number.isNaN(values[row] as number)) values[row] = values[row - 1] as number;
  }
}

function hasFallen(window: HistogramWindow): boolean {
  for (let row = 1; row < window.length; row++) {
    if (countsFell(window, row - 1, row) || sumFell(window, row - 1, row)) return true;
  }
  return false;
}
