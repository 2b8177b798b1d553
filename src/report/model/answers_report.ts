import type { AnomalyCounts } from "../../measurement/answers/answer_tally.ts";
import { ANOMALY_KINDS } from "../../measurement/answers/anomaly_kinds.ts";

/** A share of replies and its confidence interval. */
export interface AnswerShare {
  readonly share: number;
  /** Replies that have the property, and those that were checked. */
  readonly hits: number;
  readonly count: number;
  readonly lower: number;
  readonly upper: number;
}

/** Results of the checks of a run's answers. */
export interface AnswersReport {
  /** Anomalies of all replies. */
  readonly anomalies: AnomalyCounts;
}

/** The anomalies of a run added up over their kinds. */
export function anomalyCount({ anomalies: { byKind } }: AnswersReport): number {
  return ANOMALY_KINDS.reduce((sum, kind) => sum + byKind[kind], 0);
}

/** The key `answers` of a run's JSON; null for what was not checked. */
export function answersObject(
  answers: AnswersReport | undefined,
): { readonly "answers"?: Readonly<Record<string, unknown>> } {
  if (answers === undefined) return {};
  return {
    "answers": {
      "sample": null,
      "drift": null,
      "correct": null,
      "valid": null,
      "anomalies": answers.anomalies.byKind,
    },
  };
}
