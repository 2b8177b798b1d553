/**
 * Replies of unknown APIs: text, counts and end are read where the user specifies, or detected.
 */

import { type Delta, errorOf, isFields, readCommonFields, stringOf } from "../protocol/delta.ts";
import type { EndpointSettings } from "../protocol/endpoint_type.ts";
import { type JsonPath, jsonPath } from "./json_path.ts";
import { readMessage } from "../protocol/openai_message.ts";
import { openAiReplies } from "../openai/openai_replies.ts";
import { judgeChoices, judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { readUsage } from "../protocol/usage.ts";

type Fields = Record<string, unknown>;

/** The extra inputs that specify where text, usage and end are in replies. */
export const REPLY_SETTINGS = ["response_field", "usage_field", "end_field"];

/** Where things are in replies; what is undefined is looked for. */
interface ReplyPaths {
  readonly response: JsonPath | undefined;
  readonly usage: JsonPath | undefined;
  readonly end: JsonPath | undefined;
}

/** Fields with text, the ones that AIPerf looks for first. */
const TEXT_FIELDS = [
  ...["text", "content", "response", "output", "result"],
  ...["generated_text", "text_output", "output_text", "completion", "delta"],
];
/** Fields with lists of results that are no text. */
const LIST_FIELDS = ["embeddings", "embedding", "rankings", "results"];
const FINISH_FIELDS = ["finish_reason", "stop_reason", "done_reason"];

/**
 * The replies that these settings describe.
 * @throws {RangeError} naming the setting that is no path
 */
export function foundReplies(settings: EndpointSettings): ReplyProtocol {
  const pathOf = (name: string): JsonPath | undefined => {
    const text = settings[name];
    if (text === undefined) return undefined;
    try {
      return jsonPath(text);
    } catch (error) {
      throw new RangeError(`${name}: ${(error as Error).message}`);
    }
  };
  return repliesWith({
    response: pathOf("response_field"),
    usage: pathOf("usage_field"),
    end: pathOf("end_field"),
  });
}

function repliesWith(paths: ReplyPaths): ReplyProtocol {
  /** Whether the reply is of a kind whose end is known. */
  let isOpenAi = false;
  const read = (json: unknown, delta: Delta): void => {
    if (isFields(json)) {
      isOpenAi ||= Array.isArray(json["choices"]);
      if (isOpenAi) OPENAI.readDelta(json, delta, "");
      else readAny(json, delta);
    }
    if (paths.response !== undefined) {
      delta.text = delta.reasoning = delta.toolText = "";
      delta.others.length = 0;
      delta.items = 0;
      addValue(paths.response(json), delta);
    }
    if (paths.usage !== undefined) delta.usage = readUsage(paths.usage(json)) ?? delta.usage;
    if (paths.end !== undefined) readEnd(paths.end(json), delta);
  };
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"], ["ping", "ignored"]]),
    forOneReply: () => repliesWith(paths),
    readDelta: read,
    readList: read,
    judge(ending) {
      const { endSeen, isComplete, isWhole, finishReason, choices } = ending;
      const needsEnd = paths.end !== undefined || isOpenAi;
      const isOrderly = (endSeen && !isWhole) ||
        (isComplete && (isWhole || !needsEnd || (finishReason !== null && !paths.end)));
      const wanted = paths.end === undefined ? "[DONE] or a finish reason" : "end_field or [DONE]";
      const error = judgeEnding(ending, isOrderly, wanted) ??
        (isOpenAi && paths.response === undefined && choices !== undefined
          ? judgeChoices(choices, isWhole)
          : undefined);
      if (error?.kind !== "no_content" || paths.response === undefined) return error;
      return { ...error, message: "Reply is complete, but response_field found nothing in it" };
    },
  };
}

const OPENAI = openAiReplies((choice, delta) => {
  const message = choice["delta"] ?? choice["message"];
  if (isFields(message)) readMessage(message, delta);
  delta.text += stringOf(choice["text"]);
});

/** Reads an object by the usual names of fields. */
function readAny(json: Fields, delta: Delta): void {
  readCommonFields(json, delta);
  delta.error ??= errorOf(json);
  const { token, message, data } = json;
  if (isFields(token)) delta.text = token["special"] === true ? "" : stringOf(token["text"]);
  else if (isFields(message)) readMessage(message, delta);
  else if (Array.isArray(data) && isFields(data[0]) && data[0]["embedding"] !== undefined) {
    delta.items = data.length;
  } else {
    const list = LIST_FIELDS.map((name) => json[name]).find(Array.isArray);
    const text = TEXT_FIELDS.map((name) => json[name]).find((value) =>
      typeof value === "string" && value !== ""
    );
    if (list !== undefined) delta.items = list.length;
    else if (text !== undefined) delta.text = stringOf(text);
  }
  const reason = FINISH_FIELDS.map((name) => stringOf(json[name])).find((text) => text !== "");
  if (reason !== undefined) delta.finishReason = reason;
  if (json["done"] === true || json["is_finished"] === true) delta.isEnd = true;
}

/** Reads what a path found: texts are text, whatever else there is counts as results. */
function addValue(value: unknown, delta: Delta): void {
  if (typeof value === "string") delta.text = value;
  else if (typeof value === "number" || typeof value === "boolean") delta.text = String(value);
  else if (Array.isArray(value)) {
    if (value.every((entry) => typeof entry === "string")) delta.text = value.join("");
    else delta.items = value.length;
  } else if (isFields(value)) {
    delta.items = 1;
  }
}

/** A reply is over where its end field has any value but false, null, 0 and nothing. */
function readEnd(value: unknown, delta: Delta): void {
  delta.isEnd = Boolean(value);
  if (typeof value === "string" && value !== "") delta.finishReason = value;
}
