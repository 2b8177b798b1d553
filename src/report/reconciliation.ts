/**
 * What the client measured beside what the server says of itself. Both are right about different
 * things; where they differ by more than that explains, one of them looks at something else.
 */

import type { MetricResults } from "../metrics/compute_results.ts";
import type { Reconciliation, RequestCounts } from "./profile_report.ts";
import { type ServerCounterparts, serverKinds } from "./server_kinds.ts";
import type { SeriesReport, ServerMetricsReport } from "./server_metrics_report.ts";

/** Tokens may differ by so much: the client's tokenizer need not be the server's. */
const TOKEN_TOLERANCE = 0.02;
/** A server's latency may be so much larger than the client's: their windows are not the same. */
const LATENCY_TOLERANCE = 0.05;
/** Beyond this share and this many milliseconds, the way to the server costs too much. */
const NETWORK_OVERHEAD_SHARE = 0.25;
const NETWORK_OVERHEAD_MS = 20;

/**
 * Sets the client's and the server's figures side by side. Quantities that the server does not know
 * are left out. Where there are metrics of several kinds of servers, as of a front end and of the
 * engine behind it, the outermost one that knows anything is asked.
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
  return [
    ...requestRow(requests, side.total(counterparts.requests, "count")),
    ...tokenRows(results, requests, side, counterparts),
    ...latencyRows("TTFT", "time_to_first_token", results, side.timings(counterparts.ttft)),
    // A server counts every gap, as the client's gaps between chunks do.
    ...latencyRows(
      "ITL",
      "inter_token_latency",
      results,
      side.timings(counterparts.itl),
      "inter_chunk_latency",
    ),
    ...latencyRows(
      "request latency",
      "request_latency",
      results,
      side.timings(counterparts.latency),
    ),
  ];
}

/** What the server's metrics say in sum. */
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
    if (series.length === 0) return undefined;
    return series.reduce(
      (sum, { type, stats }) => sum + (stats[type === "histogram" ? ofHistogram : "total"] ?? 0),
      0,
    );
  }

  /** Mean and, of a single series, percentiles of a histogram in seconds, as milliseconds. */
  timings(names: readonly string[]): ReadonlyMap<string, number> {
    const series = this.#series(names).filter(({ stats }) => (stats["count"] ?? 0) > 0);
    const timings = new Map<string, number>();
    const count = series.reduce((sum, { stats }) => sum + (stats["count"] as number), 0);
    const sum = series.reduce((sum, { stats }) => sum + (stats["sum"] ?? NaN), 0);
    if (count > 0 && Number.isFinite(sum)) timings.set("avg", sum / count * 1e3);
    const [only, ...others] = series;
    if (only === undefined || others.length > 0) return timings;
    for (const p of ["p50", "p99"]) {
      const value = only.stats[`${p}_estimate`];
      if (value !== undefined) timings.set(p, value * 1e3);
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
    ? "the server served others, too"
    : server < requests.succeeded
    ? "the server knows fewer: another instance, or counts that lag"
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
  const rows: Reconciliation[] = [];
  const add = (quantity: string, client: number | undefined, server: number | undefined) => {
    if (client === undefined || server === undefined) return;
    // Requests that failed cost tokens that the client does not count.
    const differs = requests.failed === 0 &&
      Math.abs(server - client) > TOKEN_TOLERANCE * Math.max(server, client);
    const doubt = differs
      ? server > client
        ? "the server counts more: others' load, or another tokenizer"
        : "the server counts fewer: another instance, or another tokenizer"
      : undefined;
    rows.push({ quantity, unit: "tokens", client, server, estimated: false, doubt });
  };
  add(
    "prompt tokens",
    sumOf(results, "usage_prompt_tokens") ?? sumOf(results, "input_sequence_length"),
    side.total(promptTokens, "sum"),
  );
  add(
    "generation tokens",
    sumOf(results, "usage_completion_tokens") ?? sumOf(results, "output_sequence_length"),
    side.total(generationTokens, "sum"),
  );
  return rows;
}

function latencyRows(
  name: string,
  tag: string,
  results: MetricResults,
  timings: ReadonlyMap<string, number>,
  percentilesTag = tag,
): Reconciliation[] {
  return [...timings].flatMap(([figure, server]) => {
    const result = results.get(figure === "avg" ? tag : percentilesTag);
    if (result === undefined || !("summary" in result)) return [];
    const client = result.summary[figure as "avg" | "p50" | "p99"];
    return [{
      quantity: `${name} ${figure}`,
      unit: "ms",
      client,
      server,
      estimated: figure !== "avg",
      // Estimates are not doubted: they may be off themselves.
      doubt: figure === "avg" ? latencyDoubt(client, server) : undefined,
    }];
  });
}

function latencyDoubt(client: number, server: number): string | undefined {
  if (server > client * (1 + LATENCY_TOLERANCE) + 1) {
    return "the server was slower to others";
  }
  return client - server > Math.max(NETWORK_OVERHEAD_MS, NETWORK_OVERHEAD_SHARE * server)
    ? "the way to the server, or its front end, takes the rest"
    : undefined;
}

function sumOf(results: MetricResults, tag: string): number | undefined {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary.sum : undefined;
}
