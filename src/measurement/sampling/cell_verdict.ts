import type { Cell } from "../own_error/bounded_statistics.ts";
import type { MeasurementError } from "../own_error/measurement_error.ts";
import type { SamplingErrors } from "./sampling_errors.ts";

/**
 * Worth of one statistic: the client's error exceeds 5 % (suspect) or 20 % (invalid), or the sample does
 * not prove the statistic. A statistic whose client error was not measured is not proven.
 */
export type CellVerdict = "valid" | "suspect" | "invalid" | "not_proven";

/** Statistics whose verdicts a run reports, of the metrics that it has. */
export const SHOWN_CELLS: readonly Cell[] = [
  ...([
    "time_to_first_token",
    "inter_token_latency",
    "request_latency",
  ] as const).flatMap((tag) =>
    (["avg", "p50", "p90", "p95", "p99"] as const).map((statistic): Cell => [tag, statistic])
  ),
  ["request_throughput", "avg"],
  ["output_token_throughput", "avg"],
];

/** Verdicts on the statistics of a window. */
export interface JudgedWindow {
  /** The client's own error by metric and statistic; empty if it was not measured. */
  readonly bounds: MeasurementError["metrics"];
  readonly sampling: SamplingErrors;
}

/** Verdict of a statistic; undefined if the window does not have it. */
export function cellVerdict(
  { bounds, sampling }: JudgedWindow,
  [tag, statistic]: Cell,
): CellVerdict | undefined {
  const sampled = sampling.get(tag)?.[statistic];
  if (sampled === undefined) return undefined;
  if (bounds.size === 0) return "not_proven";
  const error = bounds.get(tag)?.[statistic]?.verdict ?? "valid";
  if (error !== "valid") return error;
  return sampled.verdict === "proven" ? "valid" : "not_proven";
}

const ORDER: readonly CellVerdict[] = ["valid", "not_proven", "suspect", "invalid"];

/** Worst verdict of some statistics, those left out that the window does not have. */
export function worstCell(window: JudgedWindow, cells: readonly Cell[]): CellVerdict {
  return cells.map((cell) => cellVerdict(window, cell) ?? "valid")
    .reduce(
      (worst, verdict) => ORDER.indexOf(verdict) > ORDER.indexOf(worst) ? verdict : worst,
      "valid",
    );
}
