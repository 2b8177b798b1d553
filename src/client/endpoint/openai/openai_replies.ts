import { type Delta, errorOf, isFields, readCommonFields, stringOf } from "../protocol/delta.ts";
import { readChoices } from "./read_choices.ts";
import { judgeFinish, type ReplyProtocol } from "../protocol/reply_protocol.ts";

type Fields = Record<string, unknown>;

/** Finish reasons with which servers report that they gave up. */
const FAILED_FINISH = new Set(["error", "abort", "aborted", "insufficient_system_resource"]);

/**
 * The replies of an API of OpenAI's kind: objects with choices, ended by `[DONE]` or by a finish
 * reason.
 * @param readChoice reads the content of a choice
 * @param readOther reads an object without choices, where there is such
 */
export function openAiReplies(
  readChoice: (choice: Fields, delta: Delta) => void,
  readOther?: (json: Fields, delta: Delta) => void,
): ReplyProtocol {
  const readEach = (choice: Fields, delta: Delta): void => {
    readChoice(choice, delta);
    readFinish(choice, delta);
  };
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"]]),
    readDelta(json, delta) {
      readCommonFields(json, delta);
      const { choices } = json;
      if (Array.isArray(choices)) readChoices(choices, delta, readEach);
      else if (choices === undefined) readOther?.(json, delta);
    },
    judge: judgeFinish,
  };
}

/** Reads how a choice ended into `delta`. */
function readFinish(choice: Fields, delta: Delta): void {
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
