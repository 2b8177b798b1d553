import { UsageError } from "../../config/options/usage_error.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";

/**
 * Refuses a run that is to check answers, but has nothing to compare them with. Rows of a file that is
 * read while it is sent are not known yet.
 * @throws {UsageError} naming the option
 */
export function assertCheckedAnswers(
  { objectives, verify }: RunPlan,
  { constraints, expected }: PayloadData,
  isPaged: boolean,
): void {
  if (isPaged) return;
  if (verify?.answers && expected === undefined) {
    throw new UsageError("--verify", 'No row has an "expected" answer; add it to the input file');
  }
  const needsCorrect = objectives.some(({ tag }) => tag === "good_answer");
  if (needsCorrect && expected === undefined && constraints === undefined) {
    throw new UsageError(
      "--goodput-needs-correct",
      "Nothing is checked: no request has an expected answer or a response format; use --verify",
    );
  }
}
