import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";
import { wilsonInterval } from "../../measurement/answers/paired_difference.ts";

type Json = Readonly<Record<string, unknown>>;

/** A confidence interval below a metric and its only statistic, as the key `sampling_error` has it. */
export type AnswerIntervals = Readonly<
  Record<string, { readonly "avg": { readonly lower: number; readonly upper: number } }>
>;

/**
 * 95 % confidence intervals of the values of the key `answers`, by the tags of
 * {@linkcode ANSWER_METRICS}: that of the drift as the key has it, and Wilson's of the shares.
 * @param answers value of the key, as a summary has it; undefined if it has none
 */
export function answerIntervals(answers: Json | undefined): AnswerIntervals {
  if (answers === undefined) return {};
  const objectOf = (name: string): Json => (answers[name] ?? {}) as Json;
  const { lower, upper } = objectOf("drift");
  const { drift, correct, valid, anomalous } = ANSWER_METRICS;
  return {
    ...intervalOf(drift.tag, Number(lower ?? NaN), Number(upper ?? NaN)),
    ...shareInterval(correct.tag, objectOf("correct")),
    ...shareInterval(valid.tag, objectOf("valid")),
    ...shareInterval(anomalous.tag, objectOf("anomalous")),
  };
}

function shareInterval(tag: string, { share, count }: Json): AnswerIntervals {
  const checked = Number(count ?? 0);
  if (typeof share !== "number" || checked === 0) return {};
  return intervalOf(tag, ...wilsonInterval(Math.round(share * checked), checked));
}

function intervalOf(tag: string, lower: number, upper: number): AnswerIntervals {
  return Number.isNaN(lower) || Number.isNaN(upper) ? {} : { [tag]: { "avg": { lower, upper } } };
}
