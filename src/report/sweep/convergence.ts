/** Whether the runs of a point agree well enough that no additional run is needed. */

import { kolmogorovSmirnov } from "../../core/statistics/kolmogorov_smirnov.ts";
import { sampleConfidence } from "../../core/statistics/sample_confidence.ts";

/** The condition on which the runs of a point end early. */
export interface ConvergencePlan {
  /** Tag of a metric. */
  readonly metric: string;
  readonly statistic: string;
  readonly mode: "ci-width" | "cv" | "distribution";
  readonly threshold: number;
  readonly level: number;
}

/** AIPerf's thresholds. */
export const CONVERGENCE_THRESHOLDS: Readonly<Record<ConvergencePlan["mode"], number>> = {
  "ci-width": 0.1,
  "cv": 0.05,
  "distribution": 0.05,
};

/** Runs that there must be, as in AIPerf. */
const MIN_RUNS = 3;

/** Whether the statistic's values in the runs so far agree. */
export function valuesAgree(values: readonly number[], plan: ConvergencePlan): boolean {
  if (values.length < MIN_RUNS) return false;
  const { mean, cv, ciLow, ciHigh } = sampleConfidence(values, plan.level);
  if (mean === 0) return false;
  return plan.mode === "cv"
    ? cv < plan.threshold
    : (ciHigh - ciLow) / Math.abs(mean) < plan.threshold;
}

/**
 * Whether the requests of the last run are spread as those of the runs before it.
 * @param runs each run's values of the metric, a value for each request
 */
export function distributionsAgree(
  runs: readonly (readonly number[])[],
  { threshold }: ConvergencePlan,
): boolean {
  if (runs.length < MIN_RUNS) return false;
  const last = runs.at(-1) as readonly number[];
  const before = runs.slice(0, -1).flat();
  return last.length >= 2 && before.length >= 2 && kolmogorovSmirnov(before, last) > threshold;
}
