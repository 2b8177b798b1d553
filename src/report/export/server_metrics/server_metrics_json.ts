import { USER_AGENT } from "../../../config/plan/version.ts";
import { INNERMOST_FIRST } from "../../../telemetry/engines/engine.ts";
import { ROLE_NAMES } from "../../../telemetry/engines/roles.ts";
import type { RoleFigure } from "../../model/role_figure.ts";
import type { EndpointReport, ServerMetricsReport } from "../../model/server_metrics_report.ts";
import type { MetricReport, SeriesReport, SliceReport } from "../../model/series_report.ts";
import type { ServerRoles } from "../../model/server_roles.ts";
import { isoTime } from "../iso_time.ts";
import { jsonDocument, LazyEntries } from "../json_document.ts";

/** Version of the layout, as AIPerf counts it. */
export const SERVER_METRICS_SCHEMA_VERSION = "1.0";

/** `server_metrics_export.json`: metrics by their names, statistics within each series. */
export function serverMetricsJson(report: ServerMetricsReport): Iterable<string> {
  return jsonDocument({
    "schema_version": SERVER_METRICS_SCHEMA_VERSION,
    "aiperf_version": USER_AGENT,
    "benchmark_id": report.benchmarkId,
    "summary": {
      "endpoints_configured": report.endpointsConfigured,
      "endpoints_successful": report.endpoints.map(({ url }) => url),
      "start_time": isoTime(report.startNs),
      "end_time": isoTime(report.endNs),
      "endpoint_info": new Map(
        report.endpoints
          .map((endpoint) => [endpoint.url, endpointObject(endpoint)] as const)
          .sort(([a], [b]) => a < b ? -1 : 1),
      ),
    },
    "metrics": new LazyEntries(report.metrics.values().flatMap(metricEntry)),
    "roles": rolesObject(report.roles),
    "input_config": report.inputConfig,
    "tags": report.tags?.length ? new Map(report.tags) : undefined,
    "was_cancelled": report.wasCancelled,
    "histogram_estimator": report.estimator,
    "notes": report.notes,
  });
}

/** The numbers of roles by their names, in each layer that has one, the innermost first. */
function rolesObject(roles: ServerRoles): Map<string, unknown> | undefined {
  const entries = ROLE_NAMES.flatMap((name): [string, unknown][] => {
    const layers = INNERMOST_FIRST.flatMap((layer): [string, unknown][] => {
      const figure = roles.figure(name, { layers: [layer] });
      // A level from before or after the run is none of the run's.
      if (figure === undefined || figure.lateSeconds !== undefined) return [];
      const pools = roles.pools.flatMap((pool): [string, unknown][] => {
        const ofPool = roles.figure(name, { layers: [layer], pools: [pool] });
        return ofPool === undefined ? [] : [[pool, roleObject(ofPool)]];
      });
      const all = roleObject(figure);
      return [[layer, pools.length === 0 ? all : { ...all, "pools": new Map(pools) }]];
    });
    return layers.length === 0 ? [] : [[name, new Map(layers)]];
  });
  return entries.length === 0 ? undefined : new Map(entries);
}

function roleObject(figure: RoleFigure): Record<string, unknown> {
  return {
    "engines": figure.engines,
    "unit": figure.unit ?? undefined,
    "instances": figure.instances,
    "idle_instances": figure.idleInstances,
    "stats": statsWithBounds(figure),
    "parts": figure.by && new Map(Object.entries(figure.by)),
  };
}

function endpointObject(endpoint: EndpointReport): Record<string, unknown> {
  return {
    "total_fetches": endpoint.totalFetches,
    "first_fetch_ns": endpoint.firstFetchNs,
    "last_fetch_ns": endpoint.lastFetchNs,
    "avg_fetch_latency_ms": endpoint.avgFetchLatencyMs,
    "max_fetch_latency_ms": endpoint.maxFetchLatencyMs,
    "rate_error_percent": endpoint.rateErrorShare * 100,
    "unique_updates": endpoint.uniqueUpdates,
    "first_update_ns": endpoint.firstUpdateNs,
    "last_update_ns": endpoint.lastUpdateNs,
    "duration_seconds": endpoint.durationSeconds,
    "avg_update_interval_ms": endpoint.avgUpdateIntervalMs,
    "median_update_interval_ms": endpoint.medianUpdateIntervalMs,
    "failed_fetches": new Map(Object.entries(endpoint.failures)),
    "skipped_fetches": endpoint.skippedScrapes,
    "fetch_lateness_p99_ms": endpoint.latenessP99Ms,
    "parse_errors": endpoint.parseErrors,
    "dropped_series": endpoint.droppedSeries,
    "place": endpoint.place,
  };
}

/**
 * Returns a metric by its name, without the statistics of summaries; empty if nothing else is left.
 */
function metricEntry(metric: MetricReport): [string, Record<string, unknown>][] {
  const series = metric.series.filter(({ type }) => type !== "summary");
  // Endpoints may disagree about what a name means; the first one is followed.
  const { type, description, unit } = metric.type === "summary" ? series[0] ?? metric : metric;
  return series.length === 0 ? [] : [[metric.name, {
    "type": type,
    "description": description,
    "unit": unit ?? undefined,
    "series": series.values().map((one) => seriesObject(one, type)),
  }]];
}

function seriesObject(series: SeriesReport, metricType: string): Record<string, unknown> {
  return {
    "endpoint_url": series.endpointUrl,
    "type": series.type === metricType ? undefined : series.type,
    "labels": series.labels.length === 0 ? undefined : new Map(series.labels),
    "stats": statsWithBounds(series),
    "buckets": series.buckets === undefined ? undefined : new Map(series.buckets),
    "timeslices": series.slices?.map(sliceObject),
    "counter_reset": series.reset ? true : undefined,
  };
}

/** Returns the statistics, and for each estimate the bounds of the exact value. */
function statsWithBounds(
  { stats, bounds }: Pick<RoleFigure, "stats" | "bounds">,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(stats).flatMap(([name, value]): [string, unknown][] => {
      const limits = bounds?.[name];
      if (limits === undefined) return [[name, value]];
      return [[name, value], [name.replace(/_estimate$/, "_bounds"), limits]];
    }),
  );
}

function sliceObject(slice: SliceReport): Record<string, unknown> {
  return {
    "start_ns": slice.startNs,
    "end_ns": slice.endNs,
    "is_complete": slice.isComplete ? undefined : false,
    ...slice.stats,
    "buckets": slice.buckets === undefined ? undefined : new Map(slice.buckets),
  };
}
