import type { Origin } from "../../../client/http/transport.ts";
import type { Place } from "../../../telemetry/engines/place.ts";
import type { MetricsEndpoint } from "../../../telemetry/scrape/metrics_endpoint.ts";
import { resolveOptions } from "../../options/resolve_options.ts";
import type { ParsedMetricsUrl } from "./metrics_url.ts";
import { resolveOrigin } from "./resolve_origin.ts";
import {
  METRICS_FILE_OPTIONS,
  type ScrapingSettings,
} from "../../options/profile/server_metrics_options.ts";
import type { MetricsFileOptions } from "../../options/profile/server_metrics_types.ts";
import type { MetricsOutputPlan, ScrapePlan, ServerMetricsPlan } from "../server_metrics_plan.ts";
import { UsageError } from "../../options/usage_error.ts";

/**
 * Settings of scraping.
 * @param parsed the endpoints, each once
 * @param known origins whose names are looked up already, by protocol and host
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveServerMetrics(
  settings: ScrapingSettings,
  parsed: readonly ParsedMetricsUrl[],
  known: ReadonlyMap<string, Origin>,
): Promise<ServerMetricsPlan> {
  const endpoints = new Map<string, MetricsEndpoint>();
  for (const { endpoint } of parsed) {
    const key = `${originKey(endpoint.origin)}${endpoint.path}`;
    const known = endpoints.get(key);
    // A server that is detected and named is its own, at the place that is stated.
    if (known === undefined) endpoints.set(key, endpoint);
    else if (endpoint.place !== undefined) endpoints.set(key, withPlace(known, endpoint.place));
  }
  return {
    ...scrapeSettings(settings),
    endpoints: await Promise.all([...endpoints.values()].map(async (endpoint) => ({
      ...endpoint,
      origin: known.get(originKey(endpoint.origin)) ?? await lookedUp(endpoint.origin),
    }))),
    output: resolveMetricsOutput(settings),
  };
}

/** @throws {UsageError} if another place was stated before */
function withPlace(endpoint: MetricsEndpoint, place: Place): MetricsEndpoint {
  if (endpoint.place !== undefined && endpoint.place !== place) {
    throw new UsageError(
      "--server-metrics",
      `${endpoint.redactedUrl} is stated as ${endpoint.place} and as ${place}: name it once`,
    );
  }
  return { ...endpoint, place };
}

/** Pace and limits of scraping, of whatever it is. */
export function scrapeSettings(settings: ScrapingSettings): Omit<ScrapePlan, "endpoints"> {
  return {
    intervalNs: Math.round(settings.serverMetricsInterval * 1e9),
    flushNs: Math.round(settings.serverMetricsFlushPeriod * 1e9),
    reachabilityTimeoutNs: settings.serverMetricsReachabilityTimeout * 1e9,
    timeoutNs: settings.serverMetricsTimeout * 1e9,
    limits: {
      bodyBytes: settings.serverMetricsMaxBytes,
      samples: settings.serverMetricsMaxSamples,
      labels: settings.serverMetricsMaxLabels,
      labelValueBytes: settings.serverMetricsMaxLabelBytes,
      series: settings.serverMetricsMaxSeries,
    },
    recordingPath: settings.record === undefined ? undefined : absolutePath(settings.record),
  };
}

/** An unknown name is like a missing server: the first scrape reports it. */
export async function lookedUp(origin: Origin): Promise<Origin> {
  try {
    return await resolveOrigin(origin);
  } catch (error) {
    if (error instanceof UsageError) return origin;
    throw error;
  }
}

/**
 * Settings of computing and writing metrics.
 * @throws {UsageError} naming the option that cannot be used
 */
export function resolveMetricsOutput(options: MetricsFileOptions): MetricsOutputPlan {
  const settings = resolveOptions(METRICS_FILE_OPTIONS, options);
  return {
    formats: settings.serverMetricsFormats,
    jsonLayout: settings.serverMetricsJsonLayout,
    estimator: settings.histogramEstimator,
    csvRaw: settings.csvRaw,
    sliceNs: settings.sliceDuration === undefined
      ? undefined
      : Math.trunc(settings.sliceDuration * 1e9),
    batchLines: settings.serverMetricsBatchSize,
  };
}

/** The name by which a server is known: its protocol and host. */
export function originKey({ protocol, host }: Origin): string {
  return `${protocol}//${host}`;
}

function absolutePath(path: string): string {
  if (path === "" || path.includes("\0")) {
    throw new UsageError("--record", `Not a usable file name: got ${JSON.stringify(path)}`);
  }
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path) ? path : `${Deno.cwd()}/${path}`;
}
