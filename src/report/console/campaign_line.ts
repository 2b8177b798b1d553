import { figureOf, type RunFigures } from "../sweep/run_figures.ts";
import { objectIn } from "../sweep/shown_figures.ts";
import type { SearchGate } from "../sweep/search_gate.ts";
import { gateOutcomeText } from "./gate_outcome.ts";
import { significantText } from "./number_text.ts";
import { printableText } from "./printable_text.ts";

/** Outcome of an objective, as `gate.json` has it. */
export type LineGate = Pick<SearchGate, "name" | "found" | "met" | "conclusive">;

/** A run that has ended, among others. */
export interface EndedRun {
  /** `3/10`. */
  readonly number: string;
  /** `concurrency=4`. */
  readonly label: string;
  /** undefined if it left no summary. */
  readonly figures: RunFigures | undefined;
  /** Outcomes of its objectives; undefined for none. */
  readonly gates?: readonly LineGate[] | undefined;
  /** Further outcome of the run; undefined for none. */
  readonly remark: string | undefined;
}

/** Metrics that are shown on the line. */
const FIGURES = [
  ["", "output_token_throughput", "avg", "tokens/s"],
  ["", "request_throughput", "avg", "requests/s"],
  ["", "interactivity", "avg", "tokens/s/user"],
] as const;
/** Latency that is shown where no objective is. */
const LATENCIES = [["TTFT p99", "time_to_first_token"], [
  "latency p99",
  "request_latency",
]] as const;

/**
 * Returns the line of a run: its load, throughput, objectives or a latency, failures, what limits it, and
 * the worth of its statistics.
 */
export function runLine({ number, label, figures, gates = [], remark }: EndedRun): string {
  const head = [number, printableText(label, Infinity)];
  if (figures === undefined) return [...head, remark ?? "no results"].join("  ");
  const { requests, diagnosis, error, wasCancelled, endedEarly } = figures;
  const shown = FIGURES.flatMap(([name, metric, statistic, unit]) => {
    const value = shownFigureOf(figures, metric, statistic);
    // Requests stand for what has no tokens.
    const isRepeated = metric === "request_throughput" &&
      shownFigureOf(figures, "output_token_throughput", "avg") !== undefined;
    if (value === undefined || isRepeated) return [];
    return [`${name} ${significantText(value)} ${unit}`.trim()];
  });
  const limit = diagnosis?.["code"];
  return [
    ...head,
    ...shown,
    ...(gates.length === 0 ? latencyText(figures) : gates.map(objectiveText)),
    ...(requests.failed > 0 ? [`${requests.failed} of ${requests.sent} failed`] : []),
    ...(wasCancelled ? ["interrupted"] : endedEarly === undefined ? [] : ["ended early"]),
    ...(typeof limit === "string" ? [printableText(limit)] : []),
    ...(error === undefined ? [] : [error.verdict]),
    ...(remark === undefined ? [] : [remark]),
  ].join("  ");
}

function latencyText(figures: RunFigures): string[] {
  return LATENCIES.flatMap(([name, metric]) => {
    const value = shownFigureOf(figures, metric, "p99");
    return value === undefined ? [] : [`${name} ${significantText(value)} ms`];
  }).slice(0, 1);
}

/** `ttft.p95 283 ms met`: the statistic of the objective, and its outcome. */
function objectiveText({ conclusive = true, found, met, name }: LineGate): string {
  return printableText(`${name} ${found} ${gateOutcomeText({ conclusive, met })}`);
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
