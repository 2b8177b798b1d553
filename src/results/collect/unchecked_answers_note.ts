import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { RequestCounts } from "../../report/model/profile_report.ts";
import type { RunRecords } from "./run_records.ts";

/**
 * Returns a note on a run with `--verify answers` that compared no answer; undefined if it compared some.
 * Rows of a file that is read while it is sent are not known before the run.
 */
export function uncheckedAnswersNote(
  { plan, records, requests }: {
    readonly plan: Pick<RunPlan, "verify">;
    readonly records: { readonly answers: Pick<RunRecords["answers"], "correct"> };
    readonly requests: Pick<RequestCounts, "succeeded">;
  },
): string | undefined {
  const isMissing = plan.verify?.answers === true && records.answers.correct === undefined;
  if (!isMissing || requests.succeeded === 0) return undefined;
  return 'No answer was checked because no request had an "expected" answer; add it to the rows of ' +
    "the input file";
}
