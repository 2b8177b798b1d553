import { upperBound } from "../../core/statistics/unbounded.ts";
import {
  distributionOf,
  figuresOf,
  type MetricResult,
  type MetricResults,
} from "../../measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { type CompactRow, compactTable } from "./compact_table.ts";
import { significantText } from "./number_text.ts";
import { repeatsFirstToken } from "./repeats_first_token.ts";

/** The range in which the true statistics of a metric lie, by their names. */
export type RowBounds = Readonly<
  Partial<Record<string, { readonly lower: number; readonly upper: number }>>
>;

/** Bounds of a metric's statistics; undefined if they are not known. */
export type BoundsOf = (tag: MetricTag) => RowBounds | undefined;

const STATISTICS = ["avg", "p50", "p90", "p95", "p99", "max"] as const;
const DISPENSABLE = ["p95", "p90", "max"];
/** Milliseconds from which a row is in seconds. */
const SECONDS_FROM_MS = 10_000;

interface RowName {
  readonly tag: MetricTag;
  readonly label: string;
  readonly unit: string;
}

const MAIN_ROWS: readonly RowName[] = [
  { tag: "time_to_first_token", label: "TTFT", unit: "ms" },
  { tag: "effective_time_to_first_token", label: "TTFT+queue", unit: "ms" },
  { tag: "time_to_first_output_token", label: "TTFO", unit: "ms" },
  { tag: "inter_token_latency", label: "ITL", unit: "ms" },
  { tag: "inter_chunk_latency", label: "chunk gap", unit: "ms" },
  { tag: "request_latency", label: "latency", unit: "ms" },
  { tag: "effective_latency", label: "latency+queue", unit: "ms" },
  { tag: "output_token_throughput_per_user", label: "tokens/s/user", unit: "" },
  { tag: "image_latency", label: "per image", unit: "ms" },
  { tag: "image_throughput", label: "images/s", unit: "" },
];

/** Times from the intended start, and those that they repeat where no request waited for a slot. */
const REPEATS: ReadonlyMap<MetricTag, MetricTag> = new Map([
  ["effective_time_to_first_token", "time_to_first_token"],
  ["effective_latency", "request_latency"],
]);

const TRACE_ROWS: readonly RowName[] = [
  { tag: "http_req_blocked", label: "blocked", unit: "ms" },
  { tag: "http_req_dns_lookup", label: "DNS lookup", unit: "ms" },
  { tag: "http_req_connecting", label: "connecting", unit: "ms" },
  { tag: "http_req_tls_handshaking", label: "TLS", unit: "ms" },
  { tag: "http_req_sending", label: "sending", unit: "ms" },
  { tag: "http_req_waiting", label: "waiting", unit: "ms" },
  { tag: "http_req_receiving", label: "receiving", unit: "ms" },
  { tag: "http_req_duration", label: "duration", unit: "ms" },
  { tag: "http_req_total", label: "total", unit: "ms" },
  { tag: "http_req_data_sent", label: "sent", unit: "KB" },
  { tag: "http_req_data_received", label: "received", unit: "KB" },
  { tag: "http_req_connection_reused", label: "reused", unit: "" },
];

/**
 * The client's distributions, the most asked for first.
 * @param boundsOf adds a column with the largest error of each row's statistics
 */
export function clientTable(
  results: MetricResults,
  width: number,
  boundsOf?: BoundsOf,
): string[] {
  const rows = MAIN_ROWS.filter(({ tag }) =>
    tag === "time_to_first_output_token" ? !repeatsFirstToken(results) : !repeats(results, tag)
  );
  const lines = tableOf("", rows, results, width, boundsOf);
  const waited = [...REPEATS.keys()].some((tag) => results.has(tag) && !repeats(results, tag));
  return waited ? [...lines, "+queue: with the time that requests waited for a free slot"] : lines;
}

/** The phases of requests; no line if none was measured. */
export function traceTable(results: MetricResults, width: number): string[] {
  return tableOf("HTTP", TRACE_ROWS, results, width, undefined);
}

/** Whether a time from the intended start shows nothing but what stands above it. */
function repeats(results: MetricResults, tag: MetricTag): boolean {
  const other = REPEATS.get(tag);
  const own = distributionOf(results, tag);
  const plain = other === undefined ? undefined : distributionOf(results, other);
  return own !== undefined && plain !== undefined &&
    STATISTICS.every((name) => Math.abs(own[name] - plain[name]) <= 0.01 * plain[name]);
}

function tableOf(
  title: string,
  names: readonly RowName[],
  results: MetricResults,
  width: number,
  boundsOf: BoundsOf | undefined,
): string[] {
  const rows = names.flatMap((name) => {
    const result = results.get(name.tag);
    return result === undefined ? [] : [rowOf(name, result, boundsOf?.(name.tag))];
  });
  if (rows.length === 0) return [];
  const columns = [...STATISTICS, "error"];
  return compactTable({ title, columns, rows, dispensable: DISPENSABLE }, width);
}

function rowOf(
  { label, unit }: RowName,
  result: MetricResult,
  bounds: RowBounds | undefined,
): CompactRow {
  const figures = figuresOf(result);
  const values = STATISTICS.map((name) => {
    const figure = figures[name];
    return figure === undefined ? NaN : Number(figure);
  });
  const inSeconds = unit === "ms" && values.some((value) => value >= SECONDS_FROM_MS);
  const scale = inSeconds ? 1e-3 : 1;
  const error = bounds === undefined ? undefined : largestError(figures, bounds) * scale;
  const maxDecimals = error === undefined ? 3 : justifiedDecimals(error);
  return {
    label,
    unit: inSeconds ? "s" : unit,
    cells: [
      ...values.map((value) =>
        Number.isNaN(value) ? "" : significantText(value * scale, { maxDecimals })
      ),
      error === undefined ? "" : errorText(error),
    ],
  };
}

/** How far the statistics shown may be from the true ones; infinite if that is not known of one. */
function largestError(
  figures: Readonly<Partial<Record<string, number | bigint>>>,
  bounds: RowBounds,
): number {
  return Math.max(
    0,
    ...STATISTICS.flatMap((name) => {
      const bound = bounds[name];
      const shown = figures[name];
      if (bound === undefined || shown === undefined) return [];
      const error = Math.max(
        Math.abs(Number(shown) - bound.lower),
        upperBound(bound.upper) - Number(shown),
      );
      return [Number.isNaN(error) ? Infinity : error];
    }),
  );
}

/** The last digit shown is one that the error leaves standing. */
function justifiedDecimals(error: number): number {
  if (!(error > 0)) return 3;
  return Number.isFinite(error) ? Math.min(3, Math.max(0, -Math.floor(Math.log10(error)))) : 0;
}

/** An upper bound of an error, rounded up: `<0.9`, `<1.1`, `<12`. */
function errorText(error: number): string {
  if (!Number.isFinite(error)) return "?";
  const decimals = error >= 10 ? 0 : error >= 1 ? 1 : Math.min(3, justifiedDecimals(error));
  const step = 10 ** -decimals;
  return `<${(Math.max(1, Math.ceil(error / step - 1e-9)) * step).toFixed(decimals)}`;
}
