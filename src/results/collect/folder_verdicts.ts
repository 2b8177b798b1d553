import { RowsCursor } from "../../measurement/metrics/rows_cursor.ts";
import {
  type AnswerVerdicts,
  AnswerVerdictsBuilder,
  verdictsOf,
} from "../../measurement/answers/answer_verdicts.ts";
import { answerWorkload } from "./answer_workload.ts";
import type { RunFolder } from "./run_folder.ts";

/**
 * Verdicts on the replies of a run's profiling phase; undefined if none were checked.
 * @param settings of the run, under AIPerf's names
 */
export function folderVerdicts(
  folder: RunFolder,
  settings: Readonly<Record<string, unknown>>,
): AnswerVerdicts | undefined {
  const builder = new AnswerVerdictsBuilder();
  const cursor = new RowsCursor();
  const { record } = cursor;
  for (const stretch of folder.rows(FIELDS)) {
    cursor.setRows(stretch);
    for (cursor.at = cursor.start; cursor.at < cursor.end; cursor.at++) {
      if (record.phase === 0) continue;
      const { entry, index, inputTokens, session, turn } = record;
      builder.add(
        {
          prompt: entry,
          session: Number.isNaN(session) ? index : session,
          turn: turn || 0,
          promptTokens: inputTokens,
        },
        verdictsOf(record),
      );
    }
  }
  return builder.build(
    answerWorkload(settings, "entry"),
    folder.manifest.summary?.drift?.fingerprints,
  );
}

/** Columns that verdicts are read from. */
const FIELDS = [
  ...["phase", "entry", "index", "session", "turn", "inputTokens"] as const,
  ...["errorKind", "anomalies", "correct", "valid"] as const,
] as const;
