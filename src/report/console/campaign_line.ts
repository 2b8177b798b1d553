import { figureOf, type RunFigures } from "../sweep/run_figures.ts";
import { significantText } from "./number_text.ts";
import { printableText } from "./printable_text.ts";

/** A run that has ended, among others. */
export interface EndedRun {
  /** `3/10`. */
  readonly number: string;
  /** `concurrency=4`. */
  readonly label: string;
  /** undefined if it left no summary. */
  readonly figures: RunFigures | undefined;
  /** Further outcome of the run; undefined for none. */
  readonly remark: string | undefined;
}

/** Metrics that are shown on the line. */
const FIGURES = [
  ["TTFT p99", "time_to_first_token", "p99", "ms"],
  ["ITL", "inter_token_latency", "avg", "ms"],
  ["latency p99", "request_latency", "p99", "ms"],
  ["", "request_throughput", "avg", "requests/s"],
  ["", "output_token_throughput", "avg", "tokens/s"],
] as const;

/** Returns the line of a run: its label, main metrics, failures, and validity. */
export function runLine({ number, label, figures, remark }: EndedRun): string {
  const head = [number, printableText(label, Infinity)];
  if (figures === undefined) return [...head, remark ?? "no results"].join("  ");
  const { requests, error, wasCancelled, endedEarly } = figures;
  const isStreamed = figureOf(figures, "time_to_first_token", "p99") !== undefined;
  const shown = FIGURES.flatMap(([name, metric, statistic, unit]) => {
    const value = figureOf(figures, metric, statistic);
    // The latency stands for what a reply in one piece does not have.
    if (value === undefined || (isStreamed && metric === "request_latency")) return [];
    return [`${name} ${significantText(value)} ${unit}`.trim()];
  });
  return [
    ...head,
    ...shown,
    ...(requests.failed > 0 ? [`${requests.failed} of ${requests.sent} failed`] : []),
    ...(wasCancelled ? ["interrupted"] : endedEarly === undefined ? [] : ["ended early"]),
    ...(error === undefined ? [] : [error.verdict]),
    ...(remark === undefined ? [] : [remark]),
  ].join("  ");
}
