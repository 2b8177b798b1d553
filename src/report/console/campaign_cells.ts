/** Cells of the table of runs that have ended. */

import { figureOf, type RunFigures } from "../sweep/run_figures.ts";
import type { SearchGate } from "../sweep/search_gate.ts";
import { objectIn } from "../sweep/shown_figures.ts";
import type { SweepPoint } from "../sweep/sweep_points.ts";
import { durationText, significantText } from "./number_text.ts";
import { printableText } from "./printable_text.ts";

/** Outcome of an objective, as `gate.json` has it. */
export type LineGate = Pick<SearchGate, "name" | "found" | "met" | "conclusive">;

/** A run that has ended, among others. */
export interface EndedRun {
  /** `3/10`. */
  readonly number: string;
  readonly point: SweepPoint;
  /** From 0. */
  readonly trial: number;
  /** undefined if it left no summary. */
  readonly figures: RunFigures | undefined;
  /** Outcomes of its objectives; undefined for none. */
  readonly gates?: readonly LineGate[] | undefined;
  /** Bracket of a search after it: the largest load that meets and the smallest that misses. */
  readonly bracket?: { readonly low: number | undefined; readonly high: number | undefined };
  /** Further outcome of the run; undefined for none. */
  readonly remark: string | undefined;
}

/** Latencies that are shown where no objective is. */
const LATENCIES = [["TTFT p99", "time_to_first_token"], [
  "latency p99",
  "request_latency",
]] as const;
/** Diagnoses whose code is not a phrase. */
const LIMITS: Readonly<Record<string, string>> = {
  "too-short": "too short",
  "no-result": "no result",
  "saturated-kv": "saturated (KV cache)",
  "saturated-slots": "saturated (batch slots)",
  "unsaturated": "not saturated",
  "client-limited": "client-limited",
  "unknown": "not determined",
};

/** Tokens per second; requests where there are no tokens. */
export function throughputText(figures: RunFigures): string {
  const tokens = shownFigureOf(figures, "output_token_throughput", "avg");
  if (tokens !== undefined) return significantText(tokens);
  const requests = shownFigureOf(figures, "request_throughput", "avg");
  return requests === undefined ? "-" : `${significantText(requests)} req/s`;
}

/** A latency where no objective is: `TTFT p99 52.6 ms`, of sessions `session p95 4.2 s`. */
export function latencyText(figures: RunFigures): string {
  const duration = shownFigureOf(figures, "session_duration", "p95");
  if (duration !== undefined) return `session p95 ${significantText(duration)} s`;
  for (const [name, metric] of LATENCIES) {
    const value = shownFigureOf(figures, metric, "p99");
    if (value !== undefined) return `${name} ${significantText(value)} ms`;
  }
  return "-";
}

/** Tokens per second of a user. */
export function interactivityText(figures: RunFigures): string {
  const value = shownFigureOf(figures, "interactivity", "avg");
  return value === undefined ? "-" : significantText(value);
}

/** Limit of the run, its faults, and the bracket of a search after it. */
export function limitText(run: EndedRun, figures: RunFigures): string {
  const { bracket, point, remark } = run;
  const { diagnosis, endedEarly, error, evidence, requests, wasCancelled } = figures;
  const code = diagnosis?.["code"];
  const queueMs = typeof code === "string" && code.startsWith("saturated")
    ? evidence?.queueMs
    : undefined;
  // A run that was kept ended before the others that are known by now.
  const range =
    remark !== undefined || bracket === undefined || (bracket.low ?? bracket.high) === undefined
      ? undefined
      : `${bracket.low ?? ""} .. ${bracket.high ?? ""}`.trim();
  return [
    ...(typeof code === "string" ? [printableText(LIMITS[code] ?? code)] : []),
    ...(queueMs === undefined ? [] : [`queue ${durationText(queueMs / 1000)}`]),
    ...(requests.failed > 0 ? [`${requests.failed} of ${requests.sent} failed`] : []),
    ...(wasCancelled ? ["interrupted"] : endedEarly === undefined ? [] : ["ended early"]),
    ...(error === undefined || error.verdict === "valid" ? [] : [`client ${error.verdict}`]),
    ...(point.isLonger === true ? ["again, longer"] : []),
    ...(remark === undefined ? [] : [remark]),
  ].join(", ") + (range === undefined ? "" : `  ${range}`);
}

/** The value of a statistic in the part of the run that is shown. */
function shownFigureOf(
  figures: RunFigures,
  metric: string,
  statistic: string,
): number | undefined {
  const value = objectIn(figures.shown.metrics, metric)[statistic];
  return typeof value === "number" ? value : figureOf(figures, metric, statistic);
}
