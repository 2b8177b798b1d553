import type { Origin } from "../http/transport.ts";
import type { MetricsEndpoint } from "../scrape/metrics_endpoint.ts";
import { HISTOGRAM_ESTIMATORS } from "../statistics/histogram/histogram_estimators.ts";
import { chosen } from "../options/check_options.ts";
import type { ParsedMetricsUrl } from "./metrics_url.ts";
import { resolveOrigin } from "./resolve_origin.ts";
import type { MetricsFileOptions, ScrapeOptions } from "../options/server_metrics_types.ts";
import {
  METRICS_FORMATS,
  type MetricsFormat,
  type MetricsOutputPlan,
  type ServerMetricsPlan,
} from "./server_metrics_plan.ts";
import { UsageError } from "../options/usage_error.ts";

const DEFAULT_FORMATS: readonly MetricsFormat[] = ["json", "csv", "parquet"];

/**
 * How servers are scraped.
 * @param parsed the endpoints, each once
 * @param known origins whose names are looked up already, by protocol and host
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveServerMetrics(
  options: ScrapeOptions,
  parsed: readonly ParsedMetricsUrl[],
  known: ReadonlyMap<string, Origin>,
): Promise<ServerMetricsPlan> {
  const endpoints = new Map<string, MetricsEndpoint>();
  for (const { endpoint } of parsed) {
    const key = `${originKey(endpoint.origin)}${endpoint.path}`;
    if (!endpoints.has(key)) endpoints.set(key, endpoint);
  }
  return {
    endpoints: await Promise.all([...endpoints.values()].map(async (endpoint) => ({
      ...endpoint,
      origin: known.get(originKey(endpoint.origin)) ?? await lookedUp(endpoint.origin),
    }))),
    intervalNs: Math.round((options.serverMetricsInterval ?? 0.333) * 1e9),
    flushNs: Math.round((options.serverMetricsFlushPeriod ?? 2) * 1e9),
    reachabilityTimeoutNs: (options.serverMetricsReachabilityTimeout ?? 10) * 1e9,
    timeoutNs: (options.serverMetricsTimeout ?? 10) * 1e9,
    limits: {
      bodyBytes: options.serverMetricsMaxBytes ?? 32 * 1024 * 1024,
      samples: options.serverMetricsMaxSamples ?? 200_000,
      labels: options.serverMetricsMaxLabels ?? 128,
      labelValueBytes: options.serverMetricsMaxLabelBytes ?? 16 * 1024,
      series: options.serverMetricsMaxSeries ?? 10_000,
    },
    recordingPath: options.record === undefined ? undefined : absolutePath(options.record),
    output: resolveMetricsOutput(options),
  };
}

/** A name that nobody knows is like a server that is not there: the first scrape will tell. */
async function lookedUp(origin: Origin): Promise<Origin> {
  try {
    return await resolveOrigin(origin);
  } catch (error) {
    if (error instanceof UsageError) return origin;
    throw error;
  }
}

/**
 * How metrics are computed and written.
 * @throws {UsageError} naming the option that cannot be used
 */
export function resolveMetricsOutput(options: MetricsFileOptions): MetricsOutputPlan {
  return {
    formats: formatsOf(options.serverMetricsFormats),
    jsonLayout: chosen(
      "serverMetricsJsonLayout",
      options.serverMetricsJsonLayout,
      ["nested", "flat"],
      "nested",
    ),
    estimator: chosen(
      "histogramEstimator",
      options.histogramEstimator,
      [...HISTOGRAM_ESTIMATORS.keys()],
      "polynomial",
    ),
    csvRaw: options.csvRaw ?? false,
    sliceNs: options.sliceDuration === undefined
      ? undefined
      : Math.trunc(options.sliceDuration * 1e9),
    batchLines: options.serverMetricsBatchSize ?? 100,
  };
}

/** By what a server is known: its protocol and host. */
export function originKey({ protocol, host }: Origin): string {
  return `${protocol}//${host}`;
}

function formatsOf(given: readonly string[] | undefined): readonly MetricsFormat[] {
  if (given === undefined) return DEFAULT_FORMATS;
  const names = given.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== "");
  const formats = names.map((name) => {
    const format = METRICS_FORMATS.find((format) => format === name.toLowerCase());
    if (format === undefined) {
      throw new UsageError(
        "--server-metrics-formats",
        `Must be of ${METRICS_FORMATS.join(", ")}: got "${name}"`,
      );
    }
    return format;
  });
  return [...new Set(formats)];
}

function absolutePath(path: string): string {
  if (path === "" || path.includes("\0")) {
    throw new UsageError("--record", `Not a usable file name: got ${JSON.stringify(path)}`);
  }
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path) ? path : `${Deno.cwd()}/${path}`;
}
