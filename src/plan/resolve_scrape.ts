import type { TlsTrust } from "../http/transport.ts";
import { newBenchmarkId } from "./benchmark_id.ts";
import { checkOptions } from "../options/check_options.ts";
import { namedMetricsUrl } from "./metrics_url.ts";
import type { OutputPlan } from "./run_plan.ts";
import { filePrefix } from "./resolve_output.ts";
import { resolveServerMetrics } from "./resolve_server_metrics.ts";
import type { StandaloneScrapeOptions } from "../options/scrape_types.ts";
import type { ServerMetricsPlan } from "./server_metrics_plan.ts";
import { readCaCerts, readSystemCerts } from "./trust.ts";
import { UsageError } from "../options/usage_error.ts";

/** Seconds between scrapes. */
const MIN_INTERVAL = 0.01;
const MAX_INTERVAL = 3600;

/** A scrape without load, fully described. */
export interface ScrapePlan {
  readonly benchmarkId: string;
  readonly metrics: ServerMetricsPlan;
  readonly trust: TlsTrust;
  /** Infinity: until it is interrupted. */
  readonly durationNs: number;
  readonly output: Pick<OutputPlan, "directory" | "overwrite" | "prefix">;
  readonly secrets: readonly string[];
}

/**
 * Turns the options of a scrape into a plan.
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveScrape(
  urls: readonly string[],
  options: StandaloneScrapeOptions,
): Promise<ScrapePlan> {
  checkOptions(options);
  if (urls.length === 0) throw new UsageError("URL", "At least one is needed");
  const parsed = urls.map((url) => namedMetricsUrl(url, "URL"));
  const { duration = Infinity, interval } = options;
  if (!(duration > 0)) {
    throw new UsageError("--duration", `Must be greater than 0: got ${duration}`);
  }
  if (interval !== undefined && !(interval >= MIN_INTERVAL && interval <= MAX_INTERVAL)) {
    throw new UsageError(
      "--interval",
      `Must be from ${MIN_INTERVAL} to ${MAX_INTERVAL} seconds: got ${interval}`,
    );
  }
  const scraping = interval === undefined
    ? options
    : { ...options, serverMetricsInterval: interval };
  const metrics = await resolveServerMetrics(scraping, parsed, new Map());
  const isSecure = metrics.endpoints.some(({ origin }) => origin.protocol === "https:");
  const first = metrics.endpoints[0]?.origin.host ?? "";
  return {
    benchmarkId: newBenchmarkId(),
    metrics: { ...metrics, flushNs: 0 },
    trust: {
      caCerts: await readCaCerts(options.caCert ?? []),
      systemCerts: isSecure ? await readSystemCerts() : [],
    },
    durationNs: duration * 1e9,
    output: {
      directory: options.artifactDir ??
        `artifacts/scrape-${first.replace(/[^A-Za-z0-9._-]/g, "_")}`,
      prefix: options.profileExportPrefix === undefined
        ? undefined
        : filePrefix(options.profileExportPrefix),
      overwrite: options.overwrite ?? false,
    },
    secrets: [...new Set(parsed.flatMap(({ secrets }) => secrets))],
  };
}
