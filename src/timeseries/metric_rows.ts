/**
 * The samples of a window row by row, with counters and histograms as increases since their
 * reference: what the table of raw values is made of. Increases reported after the end of the window
 * have rows as well, up to the totals; gauges have none there.
 */

import type { EndpointSeries } from "./endpoint_series.ts";
import { histogramSamples } from "./histogram_samples.ts";
import { scalarWindow } from "./scalar_window.ts";
import { HistogramSeries, ScalarSeries, type SeriesIdentity } from "./series.ts";
import { type TimeWindow, withFlush } from "./time_window.ts";

/** A row. Fields that the type of its metric does not have are null. */
export interface MetricRow {
  readonly identity: SeriesIdentity;
  readonly timeNs: number;
  readonly value: number | null;
  readonly sum: number | null;
  readonly count: number | null;
  readonly bound: string | null;
  readonly bucketCount: number | null;
}

/** The rows of an endpoint: series after series, each in the order of time, then of its buckets. */
export function* metricRows(endpoint: EndpointSeries, window: TimeWindow): Generator<MetricRow> {
  for (const series of endpoint.series) {
    if (series instanceof HistogramSeries) yield* histogramRows(series, endpoint, window);
    else if (series instanceof ScalarSeries) yield* scalarRows(series, endpoint, window);
  }
}

function* scalarRows(
  series: ScalarSeries,
  endpoint: EndpointSeries,
  window: TimeWindow,
): Generator<MetricRow> {
  const { identity, values } = series;
  const isCounter = identity.type === "counter";
  const samples = scalarWindow(
    values,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    isCounter ? withFlush(window) : window,
  );
  if (samples === undefined) return;
  const reference = isCounter ? samples.reference?.value ?? samples.values[0] as number : undefined;
  for (let index = 0; index < samples.values.length; index++) {
    const value = samples.values[index] as number;
    yield {
      ...EMPTY,
      identity,
      timeNs: samples.timesNs[index] as number,
      value: reference === undefined ? value : Math.max(0, value - reference),
    };
  }
}

function* histogramRows(
  series: HistogramSeries,
  endpoint: EndpointSeries,
  window: TimeWindow,
): Generator<MetricRow> {
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
  for (let row = samples.isBorn ? 1 : 0; row < length; row++) {
    const timeNs = samples.timesNs[row] as number;
    if (timeNs < window.startNs) continue;
    for (let bucket = 0; bucket < width; bucket++) {
      yield {
        ...EMPTY,
        identity: series.identity,
        timeNs,
        sum: increase(sums, row, 0),
        count: increase(counts, row, 0),
        bound: bounds[bucket] as string,
        bucketCount: increase(cumulative, row * width + bucket, bucket),
      };
    }
  }
}

function increase(values: Float64Array, at: number, reference: number): number | null {
  const difference = (values[at] as number) - (values[reference] as number);
  return Number.isNaN(difference) ? null : Math.max(0, difference);
}

const EMPTY = { value: null, sum: null, count: null, bound: null, bucketCount: null };
