import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { gatesPass } from "../../config/gate/judge_slos.ts";
import { isFailure } from "../../core/run_end/end_reason.ts";
import { reportValidityProblem } from "../../report/model/report_validity_problem.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { writeMessage } from "../terminal/terminal.ts";

/** The exit code of a run that came to its end, by its results; says on the terminal why it is not 0. */
export function reportExitCode(
  report: ProfileReport,
  plan: Pick<RunPlan, "maxErrorRate" | "requireValid" | "failsInconclusive" | "slos">,
): number {
  const { requests } = report;
  const total = requests.succeeded + requests.failed;
  if (requests.succeeded === 0) {
    writeMessage(
      "error",
      requests.sent === 0
        ? "No request was sent: the run was over before the first one"
        : "No request succeeded",
    );
    return EXIT_CODE.failed;
  }
  // What still ended well after the stop does not make the run one that went on.
  const { endReason } = report;
  const stopped = isFailure(endReason);
  if (stopped || requests.failed / total > plan.maxErrorRate) {
    const share = (requests.failed / total * 100).toFixed(1);
    writeMessage(
      "error",
      stopped
        ? `The run was stopped: ${report.endedEarly ?? endReason}`
        : `${share} % of the requests failed, more than --max-error-rate ${plan.maxErrorRate} allows`,
    );
    return EXIT_CODE.failed;
  }
  const problem = reportValidityProblem(report, plan);
  if (problem !== undefined) {
    writeMessage("error", `--require-valid: ${problem}`);
    return EXIT_CODE.gate;
  }
  return gatesPass(report.gates, plan.failsInconclusive) ? EXIT_CODE.done : EXIT_CODE.gate;
}
