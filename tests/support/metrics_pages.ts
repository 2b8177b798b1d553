/** Server metrics out of pages that a test writes down: what a scrape without a server gives. */

import { PageReader } from "../../src/telemetry/scrape/page_reader.ts";
import { buildServerMetricsReport } from "../../src/report/model/build_server_metrics_report.ts";
import type { ScrapedEndpoint } from "../../src/report/model/scraped_endpoint.ts";
import type { ServerMetricsReport } from "../../src/report/model/server_metrics_report.ts";
import type { SeriesReport } from "../../src/report/model/series_report.ts";
import type { HistogramEstimator } from "../../src/core/statistics/histogram/histogram_estimator.ts";
import { HISTOGRAM_ESTIMATORS } from "../../src/core/statistics/histogram/histogram_estimators.ts";
import { EndpointSeries } from "../../src/telemetry/timeseries/endpoint_series.ts";

/** A page and the second of the run at which its first byte came. */
export type TimedPage = readonly [second: number, text: string];

/** Where the endpoints of {@linkcode reportOf} are. */
export const ENDPOINT_URL = "http://node1:8000/metrics";

/** Nanoseconds since 1970 at which these runs began; no double holds them. */
export const BASE_EPOCH_NS = 1_765_000_000_123_456_789n;

const SCRAPE_NS = 1_000_000;
const encoder = new TextEncoder();
const PLAIN = "text/plain; version=0.0.4";

/** An endpoint that was scraped so. */
export function endpointOf(
  pages: readonly TimedPage[],
  contentType = PLAIN,
): EndpointSeries {
  const reader = new PageReader();
  const endpoint = new EndpointSeries();
  for (const [second, text] of pages) {
    const firstByteNs = Math.round(second * 1e9);
    const times = { sentNs: firstByteNs - 500, firstByteNs, latencyNs: SCRAPE_NS };
    endpoint.add(reader.read(encoder.encode(text), contentType, times));
  }
  return endpoint;
}

/** An endpoint as the report takes it. */
export function scrapedEndpoint(
  series: EndpointSeries,
  changes: Partial<ScrapedEndpoint> = {},
): ScrapedEndpoint {
  return {
    url: ENDPOINT_URL,
    series,
    failures: new Map(),
    skippedScrapes: 0,
    latenessMs: Float64Array.of(0),
    droppedSeries: 0,
    ...changes,
  };
}

/** Settings of {@linkcode reportOf}. */
export interface ReportSettings {
  /** Seconds of the run. */
  readonly start: number;
  readonly end: number;
  /** Whether the run goes on after its end. */
  readonly goesOn?: boolean;
  /** Seconds; none without it. */
  readonly slice?: number;
  readonly estimator?: string;
  /** Models that the run asked for. */
  readonly models?: readonly string[];
}

/** The report of endpoints over a window. */
export function reportOf(
  endpoints: readonly ScrapedEndpoint[],
  { start, end, goesOn, slice, estimator, models }: ReportSettings,
): ServerMetricsReport {
  return buildServerMetricsReport(endpoints, {
    benchmarkId: "00000000-0000-4000-8000-000000000001",
    endpointsConfigured: endpoints.map(({ url }) => url),
    window: { startNs: Math.round(start * 1e9), endNs: Math.round(end * 1e9), goesOn },
    sliceNs: slice === undefined ? undefined : Math.round(slice * 1e9),
    estimator: HISTOGRAM_ESTIMATORS.get(
      (estimator ?? "polynomial") as Parameters<typeof HISTOGRAM_ESTIMATORS.get>[0],
    ) as HistogramEstimator,
    baseEpochNs: BASE_EPOCH_NS,
    inputConfig: {},
    models,
    wasCancelled: false,
    notes: [],
  });
}

/** The report of one endpoint that was scraped so. */
export function reportOfPages(
  pages: readonly TimedPage[],
  settings: ReportSettings,
  contentType = PLAIN,
): ServerMetricsReport {
  return reportOf([scrapedEndpoint(endpointOf(pages, contentType))], settings);
}

/** The series of a metric. Fails if there is none. */
export function seriesOf(report: ServerMetricsReport, name: string): readonly SeriesReport[] {
  const metric = report.metrics.find((metric) => metric.name === name);
  if (metric === undefined) {
    throw new Error(`No ${name}: ${report.metrics.map(({ name }) => name).join(", ")}`);
  }
  return metric.series;
}

/** The only series of a metric. Fails if there is none, or another one. */
export function onlySeries(report: ServerMetricsReport, name: string): SeriesReport {
  const [series, ...others] = seriesOf(report, name);
  if (series === undefined || others.length > 0) throw new Error(`More than one series of ${name}`);
  return series;
}
