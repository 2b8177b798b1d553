/** Server metrics of a run from the files that it exported. */

import { PLACES } from "../../telemetry/engines/place.ts";
import type { JudgedServers } from "../../config/gate/server_figure.ts";
import { judgedServers } from "../../report/model/judged_run.ts";
import { shownServers } from "../../report/model/shown_servers.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { MetricReport, SeriesReport } from "../../report/model/series_report.ts";
import { ServerRoles } from "../../report/model/server_roles.ts";
import { type ServerTimeline, serverTimeline } from "../../report/model/server_timeline.ts";
import { type JsonObject, linesOf, numbersOf, objectOf } from "./exported_files.ts";
import { ExportedScrapes } from "./exported_scrapes.ts";
import { RunFolderError } from "./run_folder.ts";

const TYPES = ["gauge", "counter", "histogram", "summary"] as const;

/** The report of `server_metrics_export.json`. */
export function exportedServerMetrics(file: JsonObject): ServerMetricsReport {
  const summary = objectOf(file["summary"]) ?? {};
  const urls = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];
  const successful = urls(summary["endpoints_successful"]);
  const metrics = Object.entries(objectOf(file["metrics"]) ?? {}).map(([name, value]) =>
    metricOf(name, objectOf(value) ?? {})
  );
  return {
    benchmarkId: String(file["benchmark_id"] ?? ""),
    startNs: 0n,
    endNs: 0n,
    endpointsConfigured: urls(summary["endpoints_configured"]),
    endpoints: successful.map((url) => ({
      ...{
        url,
        totalFetches: NaN,
        firstFetchNs: 0n,
        lastFetchNs: 0n,
        avgFetchLatencyMs: NaN,
        maxFetchLatencyMs: NaN,
        rateErrorShare: NaN,
      },
      ...{ uniqueUpdates: NaN, firstUpdateNs: 0n, lastUpdateNs: 0n, durationSeconds: NaN },
      ...{ avgUpdateIntervalMs: NaN, medianUpdateIntervalMs: NaN, failures: {} },
      ...{ skippedScrapes: 0, latenessP99Ms: NaN, parseErrors: 0, droppedSeries: 0 },
    })),
    metrics,
    roles: reportedRoles(metrics, objectOf(summary["endpoint_info"]) ?? {}),
    ...{ info: [], inputConfig: {}, wasCancelled: false, estimator: "", notes: [] },
  };
}

/**
 * The servers of `server_metrics_export.json` as gates see them. The numbers of roles are those of
 * the file, if it has them; else they follow from the statistics of their series.
 */
export function exportedServers(file: JsonObject): JudgedServers {
  const judged = judgedServers(shownServers(exportedServerMetrics(file), {}));
  const roles = objectOf(file["roles"]) ?? {};
  return {
    ...judged,
    role(name, selector) {
      const [layer] = Object.values(objectOf(roles[name]) ?? {});
      const { unit, instances, stats } = objectOf(layer) ?? {};
      if (stats === undefined || selector.length > 0) return judged.role(name, selector);
      return {
        ...{ name, unit: typeof unit === "string" ? unit : null, series: name },
        ...{ instances: Number(instances ?? 1), stats: numbersOf(objectOf(stats) ?? {}) },
      };
    },
  };
}

/** Roles by the statistics of their series. */
function reportedRoles(metrics: readonly MetricReport[], endpoints: JsonObject): ServerRoles {
  const all = metrics.flatMap(({ series }) => series);
  const byUrl = Map.groupBy(all, ({ endpointUrl }) => endpointUrl);
  return new ServerRoles([...byUrl].map(([url, some]) => ({
    url,
    place: PLACES.find((place) => place === objectOf(endpoints[url])?.["place"]),
    scrapes: undefined,
    series: some.map((report) => ({ ...report, report, samples: undefined })),
  })));
}

function metricOf(name: string, metric: JsonObject): MetricReport {
  const type = TYPES.find((type) => type === metric["type"]) ?? "gauge";
  const unit = typeof metric["unit"] === "string" ? metric["unit"] : null;
  const description = String(metric["description"] ?? "");
  const series = Array.isArray(metric["series"]) ? metric["series"] : [];
  return {
    ...{ name, type, unit, description },
    series: series.map((value): SeriesReport => {
      const one = objectOf(value) ?? {};
      const buckets = objectOf(one["buckets"]);
      return {
        ...{ name, type, unit, description },
        endpointUrl: String(one["endpoint_url"] ?? ""),
        labels: Object.entries(objectOf(one["labels"]) ?? {}).map(([label, value]) => [
          label,
          String(value),
        ]),
        // In the older layout the statistics stand in the series itself.
        stats: numbersOf(objectOf(one["stats"]) ?? one),
        // The order of an object's whole numbers is not that of the file.
        buckets: buckets &&
          Object.entries(numbersOf(buckets)).sort(([a], [b]) => boundOf(a) - boundOf(b)),
        ...{ quantiles: undefined, changeRates: undefined, slices: undefined, reset: false },
      };
    }),
  };
}

function boundOf(text: string): number {
  return text === "+Inf" ? Infinity : Number(text);
}

/**
 * The most telling roles over time, from the lines of scrapes.
 * @param baseEpochNs zero of the run's clock
 * @throws {RunFolderError} if a line cannot be read
 */
export async function exportedTimeline(path: string, baseEpochNs: bigint): Promise<ServerTimeline> {
  const endpoints = new Map<string, ExportedScrapes>();
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === "") continue;
      const scrape = objectOf(JSON.parse(line)) ?? {};
      const url = String(scrape["endpoint_url"] ?? "");
      const endpoint = endpoints.get(url) ?? new ExportedScrapes(url);
      endpoints.set(url, endpoint);
      endpoint.add(
        Number(scrape["timestamp_ns"]) - Number(baseEpochNs),
        objectOf(scrape["metrics"]) ?? {},
      );
    }
  } catch (error) {
    throw new RunFolderError(`${path}, line ${number}: ${(error as Error).message}`);
  }
  const roles = new ServerRoles([...endpoints.values()].map((scrapes) => scrapes.endpoint));
  return serverTimeline(roles);
}
