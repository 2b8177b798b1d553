import { newBenchmarkId } from "./benchmark_id.ts";
import { resolveOptions } from "../../options/resolve_options.ts";
import { SCRAPE_OPTIONS } from "../../options/commands/scrape_options.ts";
import type { GivenOptions } from "../../options/settings.ts";
import { placedMetricsUrl } from "../servers/metrics_url.ts";
import { filePrefix } from "./resolve_output.ts";
import { withMetricsHeaders } from "../servers/metrics_headers.ts";
import { resolveServerMetrics } from "../servers/resolve_server_metrics.ts";
import type { ScrapeRunPlan } from "../scrape_run_plan.ts";
import { readCaCerts, readSystemCerts } from "../servers/trust.ts";
import { UsageError } from "../../options/usage_error.ts";

/**
 * Turns the options of a scrape into a plan.
 * @throws {UsageError} naming the option that cannot be used
 */
export async function resolveScrape(
  urls: readonly string[],
  options: GivenOptions<typeof SCRAPE_OPTIONS>,
): Promise<ScrapeRunPlan> {
  const settings = resolveOptions(SCRAPE_OPTIONS, options);
  if (urls.length === 0) throw new UsageError("URL", "At least one is needed");
  const parsed = withMetricsHeaders(
    urls.map((url) => placedMetricsUrl(url, "URL")),
    settings.serverMetricsHeader ?? [],
  );
  const { duration = Infinity, interval, profileExportPrefix } = settings;
  const scraping = {
    ...settings,
    serverMetricsInterval: interval,
    serverMetricsFlushPeriod: 0,
  };
  const metrics = await resolveServerMetrics(scraping, parsed, new Map());
  const isSecure = metrics.endpoints.some(({ origin }) => origin.protocol === "https:");
  const first = metrics.endpoints[0]?.origin.host ?? "";
  return {
    benchmarkId: newBenchmarkId(),
    metrics,
    trust: {
      caCerts: await readCaCerts(settings.caCert ?? []),
      systemCerts: isSecure ? await readSystemCerts() : [],
    },
    durationNs: duration * 1e9,
    output: {
      directory: settings.artifactDir ??
        `artifacts/scrape-${first.replace(/[^A-Za-z0-9._-]/g, "_")}`,
      prefix: profileExportPrefix === undefined ? undefined : filePrefix(profileExportPrefix),
      existing: settings.overwrite ? "overwrite" : "number",
    },
    secrets: [...new Set(parsed.flatMap(({ secrets }) => secrets))],
  };
}
