import type { ClientFigures } from "../../config/gate/judged_run.ts";
import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";

/**
 * Values of the key `answers` for gates: drift is the share under load beyond the noise floor, the
 * anomalies are added up over their kinds.
 * @returns by the tags of {@linkcode ANSWER_METRICS}
 * @param object value of the key, as a summary has it; undefined if it has none
 */
export function answerFigures(
  object: Readonly<Record<string, unknown>> | undefined,
): readonly (readonly [tag: string, figures: ClientFigures])[] {
  if (object === undefined) return [];
  const fieldsOf = (name: string) => object[name] as Readonly<Record<string, unknown>> | null;
  const { under_load: underLoad, noise_floor: noiseFloor } = fieldsOf("drift") ?? {};
  const beyond = Number(underLoad ?? NaN) - Number(noiseFloor ?? NaN);
  const anomalies = Object.values(fieldsOf("anomalies") ?? {})
    .reduce<number>((sum, count) => sum + Number(count), 0);
  const values = {
    drift: Math.max(0, beyond),
    correct: Number(fieldsOf("correct")?.["share"] ?? NaN),
    valid: Number(fieldsOf("valid")?.["share"] ?? NaN),
    anomalous: Number(fieldsOf("anomalous")?.["share"] ?? NaN),
    anomalies,
  };
  return Object.entries(values).flatMap(([name, value]) => {
    const { tag, unit } = ANSWER_METRICS[name as keyof typeof ANSWER_METRICS];
    return Number.isNaN(value) ? [] : [[tag, { unit, stats: { "avg": value } }] as const];
  });
}
