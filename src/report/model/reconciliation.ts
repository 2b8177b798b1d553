/**
 * The client's measurements beside the server's own. Both are right about different
 * things; where they differ by more than that explains, one of them looks at something else.
 */

import { distributionOf, type MetricResults } from "../../measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { type ServerCounterparts, serverKinds } from "../../telemetry/engines/server_kinds.ts";
import type { Reconciliation, RequestCounts } from "./profile_report.ts";
import { seriesTotal } from "./series_total.ts";
import type { SeriesReport, ServerMetricsReport } from "./server_metrics_report.ts";

/** Largest difference of token counts that needs no explanation. */
const TOKEN_TOLERANCE = 0.02;
/** Largest excess of a server's latency over the client's: their windows are not the same. */
const LATENCY_TOLERANCE = 0.05;
/** Beyond this share and this many milliseconds, the way to the server costs too much. */
const NETWORK_OVERHEAD_SHARE = 0.25;
const NETWORK_OVERHEAD_MS = 20;

/** Sources of token counts. */
const CLIENT_TOKENIZER = "client's tokenizer";
const USAGE = "usage in replies";
const SERVER_METRICS = "server metrics";

/**
 * Sets the client's and the server's figures side by side. Quantities that the server does not know
 * are left out. Where there are metrics of several kinds of servers, as of a front end and of the
 * engine behind it, the outermost one that reports the figure counts.
 * @param ownUrls metrics endpoints of the inference servers themselves: if they know a metric, what
 * others say of it is not counted a second time
 */
export function reconcile(
  results: MetricResults,
  requests: RequestCounts,
  report: ServerMetricsReport,
  ownUrls: ReadonlySet<string>,
): Reconciliation[] {
  const side = new ServerSide(report, ownUrls);
  for (const { counterparts } of serverKinds(report.metrics.map(({ name }) => name))) {
    const rows = reconciliations(results, requests, side, counterparts);
    if (rows.length > 0) return rows;
  }
  return [];
}

function reconciliations(
  results: MetricResults,
  requests: RequestCounts,
  side: ServerSide,
  counterparts: ServerCounterparts,
): Reconciliation[] {
  const load = serverLoad(side, requests, counterparts);
  return [
    ...requestRow(requests, side.total(counterparts.requests, "count")),
    ...tokenRows(results, requests, side, counterparts),
    ...latencyRows("TTFT", "time_to_first_token", results, side.timings(counterparts.ttft), load),
    // A server counts every gap: so do the client's gaps between chunks, which its ITL, a mean for
    // each request, does not.
    ...latencyRows("ITL", "inter_token_latency", results, side.timings(counterparts.itl), load, {
      name: "chunk gap",
      tag: "inter_chunk_latency",
    }),
    ...latencyRows(
      "request latency",
      "request_latency",
      results,
      side.timings(counterparts.latency),
      load,
    ),
  ];
}

/** A figure of a histogram; of an estimated one between which values it certainly lies. */
interface Timing {
  readonly valueMs: number;
  readonly boundsMs?: readonly [lower: number, upper: number];
}

/** Sums of the server's metrics. */
class ServerSide {
  readonly #report: ServerMetricsReport;
  readonly #ownUrls: ReadonlySet<string>;

  constructor(report: ServerMetricsReport, ownUrls: ReadonlySet<string>) {
    this.#report = report;
    this.#ownUrls = ownUrls;
  }

  /** The increase of the first of these metrics that is there, over all its series. */
  total(names: readonly string[], ofHistogram: "count" | "sum"): number | undefined {
    const series = this.#series(names);
    return series.length === 0 ? undefined : seriesTotal(series, ofHistogram);
  }

  /** The sum of the first of these groups that is there as a whole. */
  sumOfGroup(groups: readonly (readonly string[])[]): number | undefined {
    const sums = groups.map((names) =>
      names.reduce((sum, name) => sum + (this.total([name], "sum") ?? NaN), 0)
    );
    return sums.find((sum) => !Number.isNaN(sum));
  }

  /** Mean and, of a single series, percentiles of a histogram in seconds, as milliseconds. */
  timings(names: readonly string[]): ReadonlyMap<string, Timing> {
    const series = this.#series(names).filter(({ stats }) => (stats["count"] ?? 0) > 0);
    const timings = new Map<string, Timing>();
    const count = series.reduce((sum, { stats }) => sum + (stats["count"] as number), 0);
    const sum = series.reduce((sum, { stats }) => sum + (stats["sum"] ?? NaN), 0);
    if (count > 0 && Number.isFinite(sum)) timings.set("avg", { valueMs: sum / count * 1e3 });
    const [only, ...others] = series;
    if (only === undefined || others.length > 0) return timings;
    for (const p of ["p50", "p99"]) {
      const value = only.stats[`${p}_estimate`];
      if (value === undefined) continue;
      const bounds = only.bounds?.[`${p}_estimate`];
      timings.set(p, {
        valueMs: value * 1e3,
        ...(bounds === undefined ? {} : { boundsMs: [bounds[0] * 1e3, bounds[1] * 1e3] }),
      });
    }
    return timings;
  }

  #series(names: readonly string[]): readonly SeriesReport[] {
    for (const name of names) {
      const metric = this.#report.metrics.find((metric) => metric.name === name);
      if (metric === undefined) continue;
      const own = metric.series.filter(({ endpointUrl }) => this.#ownUrls.has(endpointUrl));
      return own.length > 0 ? own : metric.series;
    }
    return [];
  }
}

function requestRow(requests: RequestCounts, server: number | undefined): Reconciliation[] {
  if (server === undefined) return [];
  const doubt = server > requests.sent
    ? "the server also served other clients"
    : server < requests.succeeded
    ? "the server counts fewer: another instance, or counters that lag"
    : undefined;
  const client = requests.succeeded;
  return [{ quantity: "requests", unit: "requests", client, server, estimated: false, doubt }];
}

function tokenRows(
  results: MetricResults,
  requests: RequestCounts,
  side: ServerSide,
  { promptTokens, generationTokens }: ServerCounterparts,
): Reconciliation[] {
  return [
    ...tokenComparison(
      "prompt tokens",
      { usage: "usage_prompt_tokens", counted: "input_sequence_length" },
      results,
      requests,
      side.sumOfGroup(promptTokens),
    ),
    ...tokenComparison(
      "generation tokens",
      { usage: "usage_completion_tokens", counted: "output_sequence_length" },
      results,
      requests,
      side.total(generationTokens, "sum"),
    ),
  ];
}

/**
 * The usage of replies beside the server's counters, both in the server's tokens; and the
 * client's own count beside the replies'. Without usage, the client's count beside the counters.
 */
function tokenComparison(
  quantity: string,
  tags: {
    readonly usage: "usage_prompt_tokens" | "usage_completion_tokens";
    readonly counted: MetricTag;
  },
  results: MetricResults,
  requests: RequestCounts,
  server: number | undefined,
): Reconciliation[] {
  if (server === undefined) return [];
  const usage = distributionOf(results, tags.usage);
  const counted = distributionOf(results, tags.counted);
  const row = { quantity, unit: "tokens", estimated: false };
  if (usage === undefined) {
    if (counted === undefined) return [];
    const client = counted.sum;
    const doubt = tokenDoubt(client, server, requests, CLIENT_TOKENIZER);
    return [{ ...row, client, server, sources: [CLIENT_TOKENIZER, SERVER_METRICS], doubt }];
  }
  const doubt = usage.count < requests.succeeded
    ? `only ${usage.count} of ${requests.succeeded} replies hold usage`
    : tokenDoubt(usage.sum, server, requests, USAGE);
  const sources = [USAGE, SERVER_METRICS] as const;
  const rows: Reconciliation[] = [{ ...row, client: usage.sum, server, sources, doubt }];
  // Without a tokenizer of its own the client has no other count.
  if (counted !== undefined && results.has(`${tags.usage}_diff_pct`)) {
    rows.push({
      ...row,
      client: counted.sum,
      server: usage.sum,
      sources: [CLIENT_TOKENIZER, USAGE],
      doubt: undefined,
    });
  }
  return rows;
}

function tokenDoubt(
  client: number,
  server: number,
  { failed, cancelled, cancelledOnPurpose }: RequestCounts,
  clientSource: string,
): string | undefined {
  // Requests without a valid reply cost tokens that the client does not count.
  if (failed + cancelled + cancelledOnPurpose > 0) return undefined;
  if (Math.abs(server - client) <= TOKEN_TOLERANCE * Math.max(server, client)) return undefined;
  const [more, fewer] = clientSource === CLIENT_TOKENIZER
    ? ["other clients, or another tokenizer", "another instance, or another tokenizer"]
    : ["other clients", "another instance, or counters that lag"];
  return server > client ? `the server counts more: ${more}` : `the server counts fewer: ${fewer}`;
}

function latencyRows(
  name: string,
  tag: MetricTag,
  results: MetricResults,
  timings: ReadonlyMap<string, Timing>,
  load: ServerLoad,
  /** What the percentiles are of. */
  percentiles: { readonly name: string; readonly tag: MetricTag } = { name, tag },
): Reconciliation[] {
  return [...timings].flatMap(([figure, { valueMs: server, boundsMs: serverBounds }]) => {
    const of = figure === "avg" ? { name, tag } : percentiles;
    const result = distributionOf(results, of.tag);
    if (result === undefined) return [];
    const client = result[figure as "avg" | "p50" | "p99"];
    return [{
      quantity: `${of.name} ${figure}`,
      unit: "ms",
      client,
      server,
      ...(serverBounds === undefined ? {} : { serverBounds }),
      estimated: figure !== "avg",
      // Estimates are not doubted: they may be off themselves.
      doubt: figure === "avg" ? latencyDoubt(client, server, load) : undefined,
    }];
  });
}

function latencyDoubt(client: number, server: number, load: ServerLoad): string | undefined {
  if (server > client * (1 + LATENCY_TOLERANCE) + 1) return SLOWER_SERVER[load];
  return client - server > Math.max(NETWORK_OVERHEAD_MS, NETWORK_OVERHEAD_SHARE * server)
    ? "the network or the server's front end takes the rest"
    : undefined;
}

/** Whom a server served besides the client's valid requests. */
type ServerLoad = "others" | "failed" | "nobody" | "unknown";

const SLOWER_SERVER: Readonly<Record<ServerLoad, string>> = {
  "others": "the server was slower for other clients",
  "failed": "the server's figure includes failed requests",
  "nobody": "the server measures more than the client, although it served no other client",
  "unknown": "the server measures more than the client",
};

function serverLoad(
  side: ServerSide,
  requests: RequestCounts,
  { requests: counters, latency, ttft }: ServerCounterparts,
): ServerLoad {
  const served = side.total([...counters, ...latency, ...ttft], "count");
  if (served !== undefined && served > requests.sent) return "others";
  const { failed, cancelled, cancelledOnPurpose } = requests;
  if (failed + cancelled + cancelledOnPurpose > 0) return "failed";
  return served === undefined ? "unknown" : "nobody";
}
