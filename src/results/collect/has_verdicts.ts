import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import type { RunFolder } from "./run_folder.ts";

/** Whether any reply of a run was compared with an expected answer, or with a form. */
export function hasVerdicts(run: RunFolder): boolean {
  const columns = [RECORD_FIELD.correct, RECORD_FIELD.valid];
  for (const { batch, start, end } of run.stretches()) {
    const isChecked = columns.some((column) =>
      batch.columns[column]?.subarray(start, end).some((value) => !Number.isNaN(value))
    );
    if (isChecked) return true;
  }
  return false;
}
