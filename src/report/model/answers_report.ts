import { INVALID_REPLY } from "../../measurement/answers/invalid_reason.ts";
import type {
  AnomalyCounts,
  InvalidCounts,
  VerdictCounts,
  WrongAnswer,
} from "../../measurement/answers/answer_tally.ts";
import type { DriftFindings } from "../../measurement/answers/drift_findings.ts";

/** Results of the checks of a run's answers. */
export interface AnswersReport {
  /** Anomalies of all replies. */
  readonly anomalies: AnomalyCounts;
  /** Results of --verify drift; undefined without it. */
  readonly drift?: DriftFindings | undefined;
  /** Answers compared with expected ones; undefined if none was expected. */
  readonly correct?: VerdictCounts | undefined;
  /** The first wrong answers; undefined if none was expected. */
  readonly wrong?: readonly WrongAnswer[] | undefined;
  /** Replies compared with the form that their requests asked for; undefined if none asked for any. */
  readonly valid?: VerdictCounts | undefined;
  /** Replies of another form; undefined if no form was checked. */
  readonly invalid?: InvalidCounts | undefined;
  /** Why the first reply whose form was not checked was not; undefined if all were. */
  readonly uncheckedForm?: string | undefined;
}

/** The key `answers` of a run's JSON; null for what was not checked. */
export function answersObject(
  answers: AnswersReport | undefined,
): { readonly "answers"?: Readonly<Record<string, unknown>> } {
  if (answers === undefined) return {};
  const { anomalies: { byKind, checked, replies }, correct, drift, valid } = answers;
  return {
    "answers": {
      "sample": drift?.sample ?? null,
      "drift": drift === undefined ? null : {
        "under_load": drift.underLoad,
        "noise_floor": drift.noiseFloor,
        "lower": drift.lower,
        "upper": drift.upper,
      },
      "correct": shareOf(correct),
      "wrong": wrongObject(answers),
      "valid": shareOf(valid),
      "invalid": invalidObject(answers),
      "anomalous": checked === 0 ? null : { "share": replies / checked, "count": checked },
      "anomalies": byKind,
    },
  };
}

/** Wrong answers; null if none was expected. */
function wrongObject(
  { correct, wrong = [] }: AnswersReport,
): Readonly<Record<string, unknown>> | null {
  return correct === undefined ? null : {
    "count": correct.no,
    "unchecked": correct.unchecked,
    "examples": wrong.map(({ request, flaw }) => ({ "request": request, "flaw": flaw ?? null })),
  };
}

/** Invalid replies by reason; null if no form was checked. */
function invalidObject(
  { invalid, valid }: AnswersReport,
): Readonly<Record<string, unknown>> | null {
  if (invalid === undefined || valid === undefined) return null;
  const { byReason, examples, tokens } = invalid;
  return {
    "kind": INVALID_REPLY,
    "count": valid.no,
    "unchecked": valid.unchecked,
    "tokens": tokens,
    "reasons": byReason,
    "examples": examples.map(({ request, reason, flaw }) => ({
      "request": request,
      "reason": reason,
      "flaw": flaw ?? null,
    })),
  };
}

/** Share of the checked replies that passed; null if none was checked. */
function shareOf(
  counts: VerdictCounts | undefined,
): { readonly "share": number; readonly "count": number } | null {
  const { yes = 0, no = 0 } = counts ?? {};
  return yes + no === 0 ? null : { "share": yes / (yes + no), "count": yes + no };
}
