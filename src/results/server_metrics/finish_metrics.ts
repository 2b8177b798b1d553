/** The report of server metrics, and the files that are made of it. */

import type { RunTag } from "../../config/plan/run_plan.ts";
import type { ServerMetricsPlan } from "../../config/plan/server_metrics_plan.ts";
import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import { HISTOGRAM_ESTIMATORS } from "../../core/statistics/histogram/histogram_estimators.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { buildServerMetricsReport } from "../../report/model/build_server_metrics_report.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import { type ServerTimeline, serverTimeline } from "../../report/model/server_timeline.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";
import type { MetricsStore } from "./metrics_store.ts";
import type { WrittenMetrics } from "./write_metrics.ts";

/** Inputs of the report besides the pages. */
export interface MetricsFacts {
  readonly plan: ServerMetricsPlan;
  readonly benchmarkId: string;
  /** The user's own beginning of file names. */
  readonly prefix: string | undefined;
  readonly baseEpochNs: bigint;
  readonly hostname: string;
  readonly inputConfig: Readonly<Record<string, unknown>>;
  /** Models that the run asked for. */
  readonly models?: readonly string[] | undefined;
  /** The user's labels of the run. */
  readonly tags?: readonly RunTag[] | undefined;
}

/** The part of a run that is reported. */
export interface MetricsSpan {
  /** The profiling phase on the run's clock. */
  readonly window: TimeWindow;
  readonly wasCancelled: boolean;
}

/** The statistics of what a store holds. */
export function metricsReport(
  store: MetricsStore,
  { plan, benchmarkId, baseEpochNs, inputConfig, models, tags = [] }: MetricsFacts,
  { window, wasCancelled }: MetricsSpan,
): ServerMetricsReport {
  return buildServerMetricsReport(placedEndpoints(store, plan), {
    benchmarkId,
    endpointsConfigured: plan.endpoints.map(({ redactedUrl }) => redactedUrl),
    window,
    sliceNs: plan.output.sliceNs,
    estimator: HISTOGRAM_ESTIMATORS.get(plan.output.estimator) as HistogramEstimator,
    baseEpochNs,
    inputConfig,
    models,
    tags,
    wasCancelled,
    notes: store.notes,
  });
}

/** The endpoints with their places from the plan. */
function placedEndpoints(
  { endpoints }: MetricsStore,
  plan: ServerMetricsPlan,
): readonly ScrapedEndpoint[] {
  return endpoints.map((endpoint, at) => {
    const { named = true, place } = plan.endpoints[at] ?? {};
    return { ...endpoint, place, isOwn: !named };
  });
}

/**
 * Makes the report and writes its files.
 * @param onPiece called after each piece of a file
 */
export async function finishMetrics(
  store: MetricsStore,
  facts: MetricsFacts,
  span: MetricsSpan,
  sink: FileSink,
  onPiece?: () => void,
): Promise<
  WrittenMetrics & { readonly report: ServerMetricsReport; readonly timeline: ServerTimeline }
> {
  const report = metricsReport(store, facts, span);
  // Loaded only now: Parquet is not needed before.
  const { writeMetrics } = await import("./write_metrics.ts");
  const { plan: { output }, prefix, baseEpochNs, hostname } = facts;
  const written = await writeMetrics(report, store.endpoints, sink, {
    ...{ output, prefix, baseEpochNs, hostname },
    window: span.window,
    ...(onPiece === undefined ? {} : { onPiece }),
  });
  return { ...written, report, timeline: serverTimeline(report.roles) };
}
