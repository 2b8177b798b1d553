import type { AnomalyCounts } from "../../measurement/answers/answer_tally.ts";
import type { DriftFindings } from "../../measurement/answers/drift_findings.ts";

/** Results of the checks of a run's answers. */
export interface AnswersReport {
  /** Anomalies of all replies. */
  readonly anomalies: AnomalyCounts;
  /** Results of --verify drift; undefined without it. */
  readonly drift?: DriftFindings | undefined;
}

/** The key `answers` of a run's JSON; null for what was not checked. */
export function answersObject(
  answers: AnswersReport | undefined,
): { readonly "answers"?: Readonly<Record<string, unknown>> } {
  if (answers === undefined) return {};
  const { anomalies: { byKind, checked, replies }, drift } = answers;
  return {
    "answers": {
      "sample": drift?.sample ?? null,
      "drift": drift === undefined ? null : {
        "under_load": drift.underLoad,
        "noise_floor": drift.noiseFloor,
        "lower": drift.lower,
        "upper": drift.upper,
      },
      "correct": null,
      "valid": null,
      "anomalous": checked === 0 ? null : { "share": replies / checked, "count": checked },
      "anomalies": byKind,
    },
  };
}
