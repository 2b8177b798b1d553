import type { RunPlan } from "../../config/plan/run_plan.ts";
import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";

/** Difference from the planned length that needs no note, as a fraction. */
const TOLERANCE = 0.2;

/**
 * Returns a sentence if the prompts of `--verify-tasks` are much longer than `--isl`; undefined if they
 * are not, or the run has no tasks.
 */
export function taskLengthNote(
  { dataset }: Pick<RunPlan, "dataset">,
  results: MetricResults,
): string | undefined {
  if (dataset.source !== "synthetic" || dataset.prompts?.tasks === undefined) return undefined;
  const counted = distributionOf(results, "input_sequence_length")?.avg;
  const planned = dataset.inputTokensMean;
  if (counted === undefined || counted <= planned * (1 + TOLERANCE)) return undefined;
  return `Prompts of --verify-tasks have ${
    counted.toPrecision(3)
  } tokens on average where --isl is ` +
    `${planned}: the shortest task is longer`;
}
