/**
 * Older layout of the server metrics' JSON: statistics are keys of the series itself, under the
 * names that AIPerf's first version of this file used; the layout includes summaries.
 */

import type { EndpointReport, ServerMetricsReport } from "../../model/server_metrics_report.ts";
import type { MetricReport, SeriesReport } from "../../model/series_report.ts";
import { isoTime } from "../iso_time.ts";
import { jsonDocument, LazyEntries } from "../json_document.ts";
import { shortEndpoints } from "./short_endpoints.ts";

const PERCENTILES = [50, 90, 95, 99] as const;

/** See the module's comment. */
export function serverMetricsFlatJson(report: ServerMetricsReport): Iterable<string> {
  const names = shortEndpoints(report.endpointsConfigured);
  for (const [url, short] of shortEndpoints(report.endpoints.map(({ url }) => url))) {
    names.set(url, short);
  }
  const nameOf = (url: string): string => names.get(url) ?? url;
  return jsonDocument({
    "summary": {
      "endpoints_configured": report.endpointsConfigured.map(nameOf),
      "endpoints_successful": report.endpoints.map(({ url }) => nameOf(url)),
      "start_time": isoTime(report.startNs),
      "end_time": isoTime(report.endNs),
      "endpoint_info": new Map(
        report.endpoints.map((endpoint) => [nameOf(endpoint.url), endpointObject(endpoint)]),
      ),
    },
    "metrics": new LazyEntries(
      report.metrics.values().map((metric) => [
        metric.name,
        metricObject(metric, nameOf),
      ]),
    ),
  });
}

function metricObject(
  { name, type, description, unit, series }: MetricReport,
  nameOf: (url: string) => string,
): Record<string, unknown> {
  return {
    "type": type,
    "description": description,
    "unit": name.endsWith("_info") ? "info" : unit,
    "series": series.values().map((one) => ({
      "endpoint": nameOf(one.endpointUrl),
      "endpoint_url": one.endpointUrl,
      "labels": one.labels.length === 0 ? null : new Map(one.labels),
      ...statistics(one),
    })),
  };
}

function endpointObject(endpoint: EndpointReport): Record<string, unknown> {
  const spanMs = Number(endpoint.lastFetchNs - endpoint.firstFetchNs) / 1e6;
  return {
    "endpoint_url": endpoint.url,
    "duration_seconds": spanMs / 1e3,
    "scrape_count": endpoint.totalFetches,
    "avg_scrape_latency_ms": endpoint.avgFetchLatencyMs,
    "avg_scrape_period_ms": endpoint.totalFetches > 1
      ? spanMs / (endpoint.totalFetches - 1)
      : undefined,
  };
}

function statistics(series: SeriesReport): Record<string, unknown> {
  if (series.name.endsWith("_info")) return {};
  switch (series.type) {
    case "counter":
      return counter(series);
    case "histogram":
      return distribution(series, (p) => series.stats[`p${p}_estimate`], true);
    case "summary":
      return distribution(series, (p) => quantileOf(series, p), false);
    default:
      return gauge(series);
  }
}

function gauge({ stats }: SeriesReport): Record<string, unknown> {
  if (stats["min"] === stats["max"]) return { "observation_count": 1, "avg": stats["avg"] };
  return {
    "avg": stats["avg"],
    "min": stats["min"],
    "max": stats["max"],
    "std": stats["std"],
    ...percentiles((p) => stats[`p${p}`]),
    "estimated_percentiles": false,
  };
}

function counter({ stats, changeRates }: SeriesReport): Record<string, unknown> {
  if (stats["total"] === 0) return { "delta": 0 };
  return {
    "delta": stats["total"],
    "rate_per_second": stats["rate"],
    "rate_avg": changeRates?.avg,
    "rate_min": changeRates?.min,
    "rate_max": changeRates?.max,
    "rate_std": changeRates?.std,
  };
}

function distribution(
  { stats, buckets, quantiles }: SeriesReport,
  percentileOf: (p: number) => number | undefined,
  estimated: boolean,
): Record<string, unknown> {
  if (stats["count"] === 0) return { "observation_count": 0 };
  return {
    "observation_count": stats["count"],
    "avg": stats["avg"],
    ...percentiles(percentileOf),
    "estimated_percentiles": estimated,
    "delta": stats["sum"],
    "rate_per_second": stats["sum_rate"],
    "observations_per_second": stats["count_rate"],
    "buckets": buckets === undefined ? undefined : new Map(buckets),
    "quantiles": quantiles === undefined ? undefined : new Map(quantiles),
  };
}

function percentiles(valueOf: (p: number) => number | undefined): Record<string, unknown> {
  return Object.fromEntries(PERCENTILES.map((p) => [`p${p}`, valueOf(p)]));
}

function quantileOf({ quantiles }: SeriesReport, p: number): number | undefined {
  return quantiles?.find(([quantile]) => Number(quantile) === p / 100)?.[1];
}
