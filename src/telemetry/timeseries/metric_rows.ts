/**
 * The samples of a window as rows, with counters and histograms as increases since their reference:
 * the source of the table of raw values. Increases reported after the end of the window have rows
 * as well, up to the totals; gauges have none there.
 *
 * Rows come as columns, many of one series at a time: a long run has billions of them.
 */

import type { EndpointSeries } from "./endpoint_series.ts";
import { lowerBound } from "../../core/statistics/search_sorted.ts";
import { histogramSamples } from "./histogram_samples.ts";
import { scalarWindow } from "./scalar_window.ts";
import { HistogramSeries, ScalarSeries, type SeriesIdentity } from "./series.ts";
import { type TimeWindow, withFlush } from "./time_window.ts";

/** Rows of a series in order. Columns have a number for each row, NaN for none. */
export interface MetricRows {
  readonly identity: SeriesIdentity;
  readonly timesNs: Float64Array;
  /** Columns that the type of the metric has; the others are missing. */
  readonly numbers: Partial<Readonly<Record<NumberName, Float64Array>>>;
  /** Bounds of the buckets that each sample has a row for, one after another; empty for none. */
  readonly bounds: readonly string[];
}

/** Name of a column of numbers. */
export type NumberName = "value" | "sum" | "count" | "bucketCount";

/** Rows of a histogram that are generated at once. */
const ROWS_AT_ONCE = 16_384;

/** The rows of an endpoint: series after series, each in the order of time, then of its buckets. */
export function* metricRows(endpoint: EndpointSeries, window: TimeWindow): Generator<MetricRows> {
  for (const series of endpoint.series) {
    if (series instanceof HistogramSeries) yield* histogramRows(series, endpoint, window);
    else if (series instanceof ScalarSeries) yield* scalarRows(series, endpoint, window);
  }
}

function* scalarRows(
  series: ScalarSeries,
  endpoint: EndpointSeries,
  window: TimeWindow,
): Generator<MetricRows> {
  const { identity } = series;
  const isCounter = identity.type === "counter";
  const samples = scalarWindow(
    series.values,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    isCounter ? withFlush(window) : window,
  );
  if (samples === undefined) return;
  const { timesNs, values, reference } = samples;
  if (isCounter) {
    const from = reference?.value ?? values[0] as number;
    for (let row = 0; row < values.length; row++) {
      values[row] = Math.max(0, (values[row] as number) - from);
    }
  }
  yield { identity, timesNs, numbers: { value: values }, bounds: [] };
}

function* histogramRows(
  series: HistogramSeries,
  endpoint: EndpointSeries,
  window: TimeWindow,
): Generator<MetricRows> {
  const samples = histogramSamples(
    series,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    withFlush(window),
    { unchanged: true },
  );
  if (samples === undefined) return;
  const { bounds, cumulative, sums, counts, length } = samples.window;
  const width = bounds.length;
  const first = Math.max(samples.isBorn ? 1 : 0, lowerBound(samples.timesNs, window.startNs));
  const step = Math.max(1, Math.floor(ROWS_AT_ONCE / width));
  for (let start = first; start < length && width > 0; start += step) {
    const end = Math.min(start + step, length);
    const rows = (end - start) * width;
    const timesNs = new Float64Array(rows);
    const sum = new Float64Array(rows);
    const count = new Float64Array(rows);
    const bucketCount = new Float64Array(rows);
    for (let sample = start, row = 0; sample < end; sample++) {
      timesNs.fill(samples.timesNs[sample] as number, row, row + width);
      sum.fill(increase(sums, sample, 0), row, row + width);
      count.fill(increase(counts, sample, 0), row, row + width);
      for (let bucket = 0; bucket < width; bucket++) {
        bucketCount[row++] = increase(cumulative, sample * width + bucket, bucket);
      }
    }
    yield { identity: series.identity, timesNs, numbers: { sum, count, bucketCount }, bounds };
  }
}

function increase(values: Float64Array, at: number, reference: number): number {
  return Math.max(0, (values[at] as number) - (values[reference] as number));
}
