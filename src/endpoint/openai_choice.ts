import { type Delta, errorOf, isFields, stringOf } from "./delta.ts";

type Fields = Record<string, unknown>;

/** Finish reasons with which servers report that they gave up. */
const FAILED_FINISH = new Set(["error", "abort", "aborted", "insufficient_system_resource"]);

/** The first choice, if the object has one. */
export function firstChoice(json: Fields): Fields | undefined {
  const choices = json["choices"];
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) {
    if (isFields(choice) && (choice["index"] === 0 || choice["index"] === undefined)) return choice;
  }
  return undefined;
}

/** Reads how a choice ended into `delta`. */
export function readFinish(choice: Fields, delta: Delta): void {
  const reason = choice["finish_reason"];
  if (typeof reason === "string" && reason !== "") {
    delta.finishReason = reason;
  } else if (isFields(reason)) {
    // SGLang's native form: {"type": "stop", ...}
    delta.finishReason = stringOf(reason["type"]) || "unknown";
  }
  if (delta.error === null && delta.finishReason !== null) {
    if (isFields(choice["error"])) delta.error = errorOf(choice);
    else if (FAILED_FINISH.has(delta.finishReason)) {
      const message = isFields(reason) ? stringOf(reason["message"]) : "";
      delta.error = message || `Server ended the reply with finish_reason ${delta.finishReason}`;
    }
  }
}
