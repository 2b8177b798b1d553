import { validityProblem } from "../../config/gate/required_validity.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { judgedRun } from "./judged_run.ts";
import type { ProfileReport } from "./profile_report.ts";
import { shownWindow } from "./shown_window.ts";

/**
 * Returns the statistics that must be valid but are not, and how to reduce the client's error.
 * @returns undefined if all are valid, or none must be
 */
export function reportValidityProblem(
  report: ProfileReport,
  { requireValid, slos = [] }: Pick<RunPlan, "requireValid" | "slos">,
): string | undefined {
  if (requireValid === undefined) return undefined;
  const { measurementError } = shownWindow(report);
  if (measurementError === undefined) return "the client's own error was not measured";
  const problem = validityProblem(requireValid, slos, judgedRun(report, undefined));
  return problem === undefined ? undefined : [problem, ...measurementError.reasons].join(". ");
}
