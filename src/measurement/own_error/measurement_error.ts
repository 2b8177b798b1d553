import type { MetricTag } from "../metrics/metric_tag.ts";
import type { BoundedStatistic, Bounds } from "./bounded_statistics.ts";

/** How far the client itself may have shifted a statistic, or a run's statistics. */
export type ErrorVerdict = "valid" | "suspect" | "invalid";

/** Bounds of a statistic and what they are worth. */
export interface StatisticError extends Bounds {
  readonly verdict: ErrorVerdict;
}

/** The client's own error: between which values the true statistics lie. */
export interface MeasurementError {
  /** Worst verdict of the statistics that decide the run's verdict. */
  readonly verdict: ErrorVerdict;
  readonly metrics: ReadonlyMap<
    MetricTag,
    Readonly<Partial<Record<BoundedStatistic, StatisticError>>>
  >;
  /** Why it is not valid, and what to do; a sentence each. */
  readonly reasons: readonly string[];
}

/** Shares of the least possible value up to which a statistic may be shifted. */
const MAX_VALID = 0.05;
const MAX_SUSPECT = 0.2;

/** Classifies a measured value by its bounds. */
export function judged(value: number, { lower, upper }: Bounds): StatisticError {
  const share = Math.max(value - lower, upper - value) / lower;
  // A value of zero between bounds of zero is right.
  if (lower === value && upper === value) return { lower, upper, verdict: "valid" };
  if (!(share >= 0)) return { lower, upper, verdict: "invalid" };
  const verdict = share <= MAX_VALID ? "valid" : share <= MAX_SUSPECT ? "suspect" : "invalid";
  return { lower, upper, verdict };
}

/** The errors of a metric, of which none is called better than suspect. */
export function atBestSuspect(
  errors: Readonly<Partial<Record<BoundedStatistic, StatisticError>>>,
): Partial<Record<BoundedStatistic, StatisticError>> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [
      name,
      error.verdict === "valid" ? { ...error, verdict: "suspect" } : error,
    ]),
  );
}

const ORDER: readonly ErrorVerdict[] = ["valid", "suspect", "invalid"];

/** The worst of some verdicts. */
export function worstVerdict(verdicts: Iterable<ErrorVerdict>): ErrorVerdict {
  let worst: ErrorVerdict = "valid";
  for (const verdict of verdicts) {
    if (ORDER.indexOf(verdict) > ORDER.indexOf(worst)) worst = verdict;
  }
  return worst;
}
