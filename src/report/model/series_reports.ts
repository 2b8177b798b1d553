import { counterStatistics } from "../../core/statistics/counter_statistics.ts";
import { gaugeSlices } from "../../core/statistics/gauge_slices.ts";
import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import { histogramStatistics } from "../../core/statistics/histogram/histogram_statistics.ts";
import type { PercentileBounds } from "../../core/statistics/histogram/percentile_bounds.ts";
import type { SampleWindow } from "../../core/statistics/sample_window.ts";
import { type SliceBounds, sliceBounds } from "../../core/statistics/slice_bounds.ts";
import { SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";
import type { EndpointSeries, Series } from "../../telemetry/timeseries/endpoint_series.ts";
import { histogramSamples } from "../../telemetry/timeseries/histogram_samples.ts";
import { scalarWindow } from "../../telemetry/timeseries/scalar_window.ts";
import {
  HistogramSeries,
  type ScalarSeries,
  type SeriesIdentity,
  SummarySeries,
} from "../../telemetry/timeseries/series.ts";
import { rowsIn, type TimeWindow, withFlush } from "../../telemetry/timeseries/time_window.ts";
import type { ValueColumn } from "../../telemetry/timeseries/value_column.ts";
import { levelStatistics } from "./level_statistics.ts";
import type { SeriesReport, SliceReport } from "./series_report.ts";

/** Settings of an endpoint's statistics besides its samples. */
export interface SeriesReportOptions {
  /** URL of the endpoint without secrets. */
  readonly endpointUrl: string;
  /** The phase: gauges, slices and the time that rates divide by end with it, totals do not. */
  readonly window: TimeWindow;
  /** undefined for no slices. */
  readonly sliceNs: number | undefined;
  readonly estimator: HistogramEstimator;
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
}

/** A series and its statistics; undefined if it has no samples in the window. */
export type ReportedSeries = readonly [series: Series, report: SeriesReport | undefined];

/**
 * Every series of an endpoint with its statistics. Totals of counters, histograms and summaries
 * include what was reported after the end of the window.
 */
export function seriesReports(
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
  onBoundsChange: (name: string) => void,
): ReportedSeries[] {
  const { sliceNs, window } = options;
  const { first, last } = rowsIn(endpoint.timesNs, window);
  const slices = sliceNs === undefined ? undefined : sliceBounds(
    window.startNs,
    window.endNs,
    sliceNs,
    endpoint.timesNs.subarray(first, last + 1),
  );
  return [...endpoint.series].map((
    series,
  ) => [series, reportOf(series, endpoint, options, slices, onBoundsChange)]);
}

/** A series with its statistics over a part of a run, without slices; undefined if it has no samples. */
export function seriesReport(
  series: Series,
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
): SeriesReport | undefined {
  return reportOf(series, endpoint, options, undefined, () => {});
}

function reportOf(
  series: Series,
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
  slices: readonly SliceBounds[] | undefined,
  onBoundsChange: (name: string) => void,
): SeriesReport | undefined {
  if (series instanceof HistogramSeries) {
    return histogramReport(series, endpoint, options, slices, onBoundsChange);
  }
  return series instanceof SummarySeries
    ? summaryReport(series, endpoint, options)
    : scalarReport(series, endpoint, options, slices);
}

function scalarReport(
  series: ScalarSeries,
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
  slices: readonly SliceBounds[] | undefined,
): SeriesReport | undefined {
  const { identity } = series;
  const isCounter = identity.type === "counter";
  const samples = scalarWindow(
    series.values,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    isCounter ? withFlush(options.window) : options.window,
  );
  if (samples === undefined) return undefined;
  return isCounter
    ? counterReport(identity, samples, options, slices)
    : gaugeReport(identity, samples, options, slices);
}

function gaugeReport(
  identity: SeriesIdentity,
  samples: SampleWindow,
  options: SeriesReportOptions,
  slices: readonly SliceBounds[] | undefined,
): SeriesReport {
  const stats = levelStatistics(samples.values);
  const sliced = slices === undefined ? undefined : gaugeSlices(samples, slices);
  return {
    ...head(identity, options),
    stats,
    buckets: undefined,
    quantiles: undefined,
    changeRates: undefined,
    slices: sliced?.map(({ avg, min, max, ...slice }) =>
      sliceReport(slice, { "avg": avg, "min": min, "max": max }, undefined, options)
    ),
    reset: false,
  };
}

function counterReport(
  identity: SeriesIdentity,
  samples: SampleWindow,
  options: SeriesReportOptions,
  slices: readonly SliceBounds[] | undefined,
): SeriesReport {
  const { total, rate, rates, changeRates, slices: sliced, reset } = counterStatistics(
    samples,
    options.window,
    slices,
  );
  return {
    ...head(identity, options),
    stats: {
      "total": total,
      "rate": rate,
      ...(rates === undefined ? {} : {
        "rate_avg": rates.avg,
        "rate_min": rates.min,
        "rate_max": rates.max,
        "rate_std": rates.std,
      }),
    },
    buckets: undefined,
    quantiles: undefined,
    changeRates,
    slices: sliced?.map(({ total, rate, ...slice }) =>
      sliceReport(slice, { "total": total, "rate": rate }, undefined, options)
    ),
    reset,
  };
}

function histogramReport(
  series: HistogramSeries,
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
  slices: readonly SliceBounds[] | undefined,
  onBoundsChange: (name: string) => void,
): SeriesReport | undefined {
  const { identity } = series;
  const samples = histogramSamples(
    series,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    withFlush(options.window),
  );
  // Without a count and without an infinite bucket the number of observations is unknown.
  if (samples === undefined || Number.isNaN(samples.window.counts.at(-1))) return undefined;
  if (samples.boundsChanged) onBoundsChange(identity.name);
  const statistics = histogramStatistics(
    samples.window,
    samples.timesNs,
    options.window,
    options.estimator,
    slices,
  );
  const { count, sum, avg, countRate, sumRate, percentiles, percentileBounds } = statistics;
  const stats: Record<string, number> = { "count": count };
  const put = (name: string, value: number | undefined): void => {
    if (value !== undefined && Number.isFinite(value)) stats[name] = value;
  };
  put("sum", sum);
  put("avg", avg);
  put("count_rate", countRate);
  put("sum_rate", sumRate);
  const bounds: Record<string, PercentileBounds> = {};
  SUMMARY_PERCENTILES.forEach((p, index) => {
    put(`p${p}_estimate`, percentiles?.[index]);
    const limits = percentileBounds?.[index];
    if (limits !== undefined) bounds[`p${p}_estimate`] = limits;
  });
  return {
    ...head(identity, options),
    stats,
    bounds,
    buckets: statistics.buckets,
    quantiles: undefined,
    changeRates: undefined,
    slices: statistics.slices?.map(({ count, sum, avg, buckets, ...slice }) => {
      const stats = {
        "count": count,
        ...(sum === undefined ? {} : { "sum": sum }),
        ...(avg === undefined ? {} : { "avg": avg }),
      };
      return sliceReport(slice, stats, buckets, options);
    }),
    reset: samples.reset,
  };
}

/** Counts of a summary in the window; its quantiles are the server's last ones. */
function summaryReport(
  series: SummarySeries,
  endpoint: EndpointSeries,
  options: SeriesReportOptions,
): SeriesReport | undefined {
  const windowOf = (column: ValueColumn) =>
    scalarWindow(
      column,
      endpoint.timesNs,
      endpoint.firstPageNs(series),
      withFlush(options.window),
    );
  const counted = windowOf(series.count);
  if (counted === undefined) return undefined;
  const count = counterStatistics(counted, options.window, undefined);
  const summed = windowOf(series.sum);
  const sum = summed === undefined
    ? undefined
    : counterStatistics(summed, options.window, undefined);
  const hasAny = count.total > 0;
  return {
    ...head(series.identity, options),
    stats: {
      "count": count.total,
      ...(hasAny ? { "count_rate": count.rate } : {}),
      ...(hasAny && sum !== undefined
        ? { "sum": sum.total, "avg": sum.total / count.total, "sum_rate": sum.rate }
        : {}),
    },
    buckets: undefined,
    quantiles: [...series.quantiles].flatMap(([quantile, column]) => {
      const value = windowOf(column)?.values.at(-1);
      return value === undefined ? [] : [[quantile, value] as const];
    }),
    changeRates: undefined,
    slices: undefined,
    reset: count.reset,
  };
}

function head(
  identity: SeriesIdentity,
  { endpointUrl }: SeriesReportOptions,
): SeriesIdentity & { readonly endpointUrl: string } {
  return { ...identity, endpointUrl };
}

function sliceReport(
  { startNs, endNs, isComplete }: SliceBounds,
  stats: Readonly<Record<string, number>>,
  buckets: SliceReport["buckets"],
  { baseEpochNs }: SeriesReportOptions,
): SliceReport {
  return {
    startNs: baseEpochNs + BigInt(startNs),
    endNs: baseEpochNs + BigInt(endNs),
    isComplete,
    stats,
    buckets,
  };
}
