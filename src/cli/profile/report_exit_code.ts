import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { isFailedStop } from "../../load/worker/early_end.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { writeMessage } from "../terminal/terminal.ts";

/**
 * The exit code of a run that came to its end, by its results; says on the terminal why it is not 0.
 * @param requireValid whether the client's own error must be small
 */
export function reportExitCode(
  report: ProfileReport,
  plan: Pick<RunPlan, "maxErrorRate">,
  requireValid: boolean,
): number {
  const { measurementError, requests } = report;
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
  const stopped = isFailedStop(report.endedEarly);
  if (stopped || requests.failed / total > plan.maxErrorRate) {
    const share = (requests.failed / total * 100).toFixed(1);
    writeMessage(
      "error",
      stopped
        ? `The run was stopped: ${report.endedEarly}`
        : `${share} % of the requests failed, more than --max-error-rate ${plan.maxErrorRate} allows`,
    );
    return EXIT_CODE.failed;
  }
  if (requireValid && measurementError?.verdict !== "valid") {
    const why = measurementError === undefined
      ? "the client's own error was not measured"
      : [`the results are ${measurementError.verdict}`, ...measurementError.reasons].join(". ");
    writeMessage("error", `--require-valid: ${why}`);
    return EXIT_CODE.gate;
  }
  return report.gates.every(({ met }) => met) ? EXIT_CODE.done : EXIT_CODE.gate;
}
