/** Server metrics of a run from the files that it exported. */

import type {
  MetricReport,
  SeriesReport,
  ServerMetricsReport,
} from "../../report/model/server_metrics_report.ts";
import {
  MAX_ENDPOINTS,
  roleLine,
  type RoleRow,
  SERVER_ROLES,
  type ServerTimeline,
} from "../../report/model/server_timeline.ts";
import { type JsonObject, linesOf, numbersOf, objectOf } from "./exported_files.ts";
import { RunFolderError } from "./run_folder.ts";

const TYPES = ["gauge", "counter", "histogram", "summary"] as const;

/** The report of `server_metrics_export.json`. */
export function exportedServerMetrics(file: JsonObject): ServerMetricsReport {
  const summary = objectOf(file["summary"]) ?? {};
  const urls = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];
  const successful = urls(summary["endpoints_successful"]);
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
    metrics: Object.entries(objectOf(file["metrics"]) ?? {}).map(([name, value]) =>
      metricOf(name, objectOf(value) ?? {})
    ),
    ...{ info: [], inputConfig: {}, wasCancelled: false, estimator: "", notes: [] },
  };
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

/** What an endpoint said of a metric, scrape by scrape. */
interface Samples {
  readonly timesNs: number[];
  readonly values: number[];
}

/**
 * The most telling metrics over time, from the lines of scrapes.
 * @param baseEpochNs zero of the run's clock
 * @throws {RunFolderError} if a line cannot be read
 */
export async function exportedTimeline(path: string, baseEpochNs: bigint): Promise<ServerTimeline> {
  const byEndpoint = new Map<string, Map<string, Samples>>();
  const together = new Map(
    SERVER_ROLES.flatMap((row) => row.names.map((name) => [name, row.together] as const)),
  );
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === "") continue;
      const scrape = objectOf(JSON.parse(line)) ?? {};
      const url = String(scrape["endpoint_url"] ?? "");
      const timeNs = Number(scrape["timestamp_ns"]) - Number(baseEpochNs);
      const metrics = objectOf(scrape["metrics"]) ?? {};
      const known = byEndpoint.get(url) ?? new Map<string, Samples>();
      byEndpoint.set(url, known);
      for (const [name, way] of together) {
        const value = joined(metrics[name], way);
        if (Number.isNaN(value)) continue;
        const samples = known.get(name) ?? { timesNs: [], values: [] };
        known.set(name, samples);
        samples.timesNs.push(timeNs);
        samples.values.push(value);
      }
    }
  } catch (error) {
    throw new RunFolderError(`${path}, line ${number}: ${(error as Error).message}`);
  }
  return SERVER_ROLES.flatMap((row) =>
    [...byEndpoint].flatMap(([url, known]) => {
      const name = row.names.find((name) => known.has(name));
      const samples = name === undefined ? undefined : known.get(name);
      return name === undefined || samples === undefined
        ? []
        : roleLine(row, name, url, samples.timesNs, Float64Array.from(samples.values));
    }).slice(0, MAX_ENDPOINTS)
  );
}

/** The values of all series of a metric together; of histograms, their sums. */
function joined(series: unknown, together: RoleRow["together"]): number {
  const values = (Array.isArray(series) ? series : []).flatMap((one) => {
    const { value, sum } = objectOf(one) ?? {};
    return typeof value === "number" ? [value] : typeof sum === "number" ? [sum] : [];
  });
  if (values.length === 0) return NaN;
  return together === "sum"
    ? values.reduce((total, value) => total + value, 0)
    : Math.max(...values);
}
