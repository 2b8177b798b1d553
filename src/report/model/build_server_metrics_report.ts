import { percentile } from "../../core/statistics/percentile.ts";
import { summarize } from "../../core/statistics/summarize.ts";
import { rowsIn, type TimeWindow } from "../../telemetry/timeseries/time_window.ts";
import { distinctEndpoints } from "./distinct_endpoints.ts";
import { compare, labelText } from "./label_order.ts";
import { metricsInfo } from "./metrics_info.ts";
import { seriesReports } from "./series_reports.ts";
import type { EndpointReport, ServerMetricsReport } from "./server_metrics_report.ts";
import type { MetricReport, SeriesReport } from "./series_report.ts";
import { ServerRoles } from "./server_roles.ts";
import { restartTimesNs } from "../../telemetry/timeseries/restarts.ts";
import type { Place } from "../../telemetry/engines/place.ts";
import type { PagePlace } from "./page_places.ts";
import type { ScrapedEndpoint, ServerMetricsContext } from "./scraped_endpoint.ts";
import { serversWithin } from "./servers_within.ts";

/** Makes the report of what the endpoints said. Endpoints without data are only named. */
export function buildServerMetricsReport(
  endpoints: readonly ScrapedEndpoint[],
  context: ServerMetricsContext,
): ServerMetricsReport {
  const { window, baseEpochNs } = context;
  const notes = [...context.notes];
  const changed = new Set<string>();
  const withData = endpoints.filter(({ series }) => series.timesNs.length > 0);
  const reported = withData.map((endpoint) => ({
    endpoint,
    series: seriesReports(endpoint.series, {
      endpointUrl: endpoint.url,
      window,
      sliceNs: context.sliceNs,
      estimator: context.estimator,
      baseEpochNs,
    }, (name) => changed.add(name)),
  }));
  const all = reported.flatMap(({ series }) =>
    series.flatMap(([, report]) => report === undefined ? [] : [report])
  );
  const processes = distinctEndpoints(withData);
  notes.push(...processes.notes);
  if (changed.size > 0) {
    notes.push(
      `Bucket bounds changed during the run, only common bounds are used: ${list(changed)}`,
    );
  }
  const inTurn = withData.filter(({ series }) => restartTimesNs(series) === undefined);
  const ofSeveral = new Set(inTurn.map(({ url }) => url));
  for (const url of ofSeveral) {
    notes.push(
      `${url}: several processes responded in turn, so its counters are not reliable; ` +
        "name each server with --server-metrics",
    );
  }
  const reset = new Set(
    all.filter(({ endpointUrl, reset }) => reset && !ofSeveral.has(endpointUrl))
      .map(({ name }) => name),
  );
  if (reset.size > 0) {
    notes.push(
      `server restarted: counters decreased, their totals are clamped: ${list(reset)}`,
    );
  }
  const series = new Map(reported.map(({ endpoint, series }) => [endpoint.series, series]));
  const roles = new ServerRoles(
    processes.endpoints.map(({ url, series: scrapes, place, isOwn }) => ({
      ...{ url, scrapes, place, isOwn },
      series: (series.get(scrapes) ?? []).map(([samples, report]) => ({
        ...samples.identity,
        ...{ endpointUrl: url, samples, report },
      })),
    })),
    { window, estimator: context.estimator, models: context.models },
  );
  const places = roles.places.map(foundPlace);
  const placeByUrl = new Map(processes.endpoints.map(({ url }, at) => [url, places[at]]));
  // Parts of the run are too short to find the places of servers by their counts again.
  const placed = (endpoint: ScrapedEndpoint, at: number): ScrapedEndpoint => ({
    ...endpoint,
    place: places[at] ?? "unified",
  });
  return {
    benchmarkId: context.benchmarkId,
    startNs: baseEpochNs + BigInt(window.startNs),
    endNs: baseEpochNs + BigInt(window.endNs),
    endpointsConfigured: context.endpointsConfigured,
    endpoints: withData.map((endpoint) => ({
      ...endpointReport(endpoint, baseEpochNs, window),
      place: endpoint.place ?? placeByUrl.get(endpoint.url),
    })),
    metrics: byName(all),
    roles,
    within: serversWithin(withData, processes.endpoints.map(placed), context),
    info: metricsInfo(withData),
    inputConfig: context.inputConfig,
    tags: context.tags ?? [],
    wasCancelled: context.wasCancelled,
    estimator: context.estimator.name,
    notes: [
      ...notes,
      ...endpoints.flatMap((endpoint) => [
        ...unseenNotes(endpoint, window),
        ...endpointNotes(endpoint),
      ]),
    ],
  };
}

function foundPlace({ isFront, pool }: PagePlace): Place | undefined {
  return isFront ? "front" : pool;
}

function byName(all: readonly SeriesReport[]): MetricReport[] {
  const groups = new Map<string, SeriesReport[]>();
  for (const series of all) {
    const group = groups.get(series.name);
    if (group === undefined) groups.set(series.name, [series]);
    else group.push(series);
  }
  return [...groups].sort(([a], [b]) => compare(a, b)).map(([name, series]) => {
    const { type, description, unit } = series[0] as SeriesReport;
    const keys = new Map(series.map((one) => [one, labelText(one)]));
    return {
      name,
      type,
      description,
      unit,
      series: series.sort((a, b) =>
        compare(a.endpointUrl, b.endpointUrl) ||
        compare(keys.get(a) as string, keys.get(b) as string)
      ),
    };
  });
}

function endpointReport(
  endpoint: ScrapedEndpoint,
  baseEpochNs: bigint,
  { startNs, endNs }: TimeWindow,
): EndpointReport {
  const { series } = endpoint;
  const times = series.timesNs;
  const updates = series.updatesNs;
  const intervals = Float64Array.from(
    updates.subarray(1),
    (time, index) => (time - (updates[index] as number)) / 1e6,
  );
  const epoch = (ns: number | undefined): bigint => baseEpochNs + BigInt(ns ?? 0);
  const durationNs = (updates.at(-1) ?? 0) - (updates[0] ?? 0);
  return {
    url: endpoint.url,
    totalFetches: times.length,
    firstFetchNs: epoch(times[0]),
    lastFetchNs: epoch(times.at(-1)),
    avgFetchLatencyMs: series.meanLatencyNs / 1e6,
    maxFetchLatencyMs: series.maxLatencyNs / 1e6,
    rateErrorShare: 2 * series.maxLatencyNs / (endNs - startNs),
    uniqueUpdates: updates.length,
    firstUpdateNs: epoch(updates[0]),
    lastUpdateNs: epoch(updates.at(-1)),
    durationSeconds: durationNs / 1e9,
    avgUpdateIntervalMs: intervals.length === 0 ? 0 : durationNs / 1e6 / intervals.length,
    medianUpdateIntervalMs: intervals.length === 0 ? NaN : summarize(intervals).p50,
    failures: Object.fromEntries(endpoint.failures),
    skippedScrapes: endpoint.skippedScrapes,
    latenessP99Ms: percentile(endpoint.latenessMs.slice().sort(), 99),
    parseErrors: series.problemCount,
    droppedSeries: endpoint.droppedSeries,
  };
}

/** Returns notes about a phase that is shorter than the scrape interval: its gauges are unknown. */
function unseenNotes({ url, series }: ScrapedEndpoint, window: TimeWindow): string[] {
  const { first, last } = rowsIn(series.timesNs, window);
  return series.timesNs.length === 0 || last >= first
    ? []
    : [`${url}: no scrape fell between start and end, so gauges are left out`];
}

function endpointNotes({ url, series, droppedSeries, failures }: ScrapedEndpoint): string[] {
  const notes: string[] = [];
  const summaries = new Set(
    [...series.series].filter(({ identity }) => identity.type === "summary")
      .map(({ identity }) => identity.name),
  );
  if (summaries.size > 0) {
    notes.push(
      `${url}: metrics of type summary are left out, their quantiles cover the server's whole ` +
        `life: ${list(summaries)}`,
    );
  }
  if (series.uptimes.size > 0) {
    notes.push(
      `${url}: uptime metrics are left out, as in AIPerf: ${list(series.uptimes)}`,
    );
  }
  if (series.nonFinite.size > 0) {
    notes.push(`${url}: non-finite values are left out: ${list(series.nonFinite)}`);
  }
  if (series.repeated.size > 0) {
    notes.push(
      `${url}: several samples of the same series in one scrape; the last one is used: ` +
        list(series.repeated),
    );
  }
  if (series.relabelled.size > 0) {
    notes.push(
      `${url}: labels appeared or disappeared during the run, the series continue: ` +
        list(series.relabelled),
    );
  }
  if (series.problemCount > 0) {
    notes.push(`${url}: ${series.problemCount} lines could not be read and were skipped`);
  }
  if (droppedSeries > 0) {
    notes.push(
      `${url}: ${droppedSeries} new series were left out, the limit of ` +
        "--server-metrics-max-series was reached",
    );
  }
  const failed = [...failures].map(([reason, count]) => `${count} x ${reason}`);
  if (failed.length > 0) notes.push(`${url}: scrapes failed: ${failed.join("; ")}`);
  return notes;
}

const MAX_LISTED = 5;

function list(names: ReadonlySet<string>): string {
  const all = [...names];
  const shown = all.slice(0, MAX_LISTED).join(", ");
  return all.length > MAX_LISTED ? `${shown} and ${all.length - MAX_LISTED} more` : shown;
}
