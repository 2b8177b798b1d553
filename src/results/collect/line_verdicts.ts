import { fnv1a } from "../../core/statistics/fnv1a.ts";
import type { AnswerVerdictsBuilder } from "../../measurement/answers/answer_verdicts.ts";
import { inOwnUnit, type JsonObject, objectOf } from "./exported_files.ts";

const encoder = new TextEncoder();

/**
 * Request of a line of `profile_export.jsonl`, and the verdicts on its reply.
 * @param areDetected whether all replies of the run were checked for anomalies: lines name only those
 *   that have some
 */
export function lineVerdicts(
  { error, metadata, metrics }: JsonObject,
  areDetected: boolean,
): Parameters<AnswerVerdictsBuilder["add"]> {
  const {
    answer,
    conversation_id: conversation,
    session_num: session,
    turn_index: turn = 0,
  } = objectOf(metadata) ?? {};
  const { anomalies, correct, valid } = objectOf(answer) ?? {};
  const length = objectOf(objectOf(metrics)?.["input_sequence_length"]);
  return [{
    prompt: fnv1a(encoder.encode(`${conversation} ${turn}`)),
    session: Number(session),
    turn: Number(turn),
    promptTokens: inOwnUnit(length, "input_sequence_length"),
  }, {
    anomalous: areDetected ? anomalousOf(objectOf(error)?.["kind"], anomalies) : NaN,
    correct: flag(correct),
    valid: flag(valid),
  }];
}

function anomalousOf(errorKind: unknown, anomalies: unknown): number {
  if (errorKind === "no_content") return 1;
  if (errorKind !== undefined) return NaN;
  return Array.isArray(anomalies) && anomalies.length > 0 ? 1 : 0;
}

function flag(value: unknown): number {
  return typeof value === "boolean" ? Number(value) : NaN;
}
