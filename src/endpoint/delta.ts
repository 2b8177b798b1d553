import { readUsage, type Usage } from "./usage.ts";

/** What one JSON object of a reply, a chunk of a stream or a whole body, contributed. */
export interface Delta {
  /** Answer text of choice 0. */
  text: string;
  /** Reasoning text of choice 0, from `reasoning_content` or `reasoning`. */
  reasoning: string;
  /** Names and arguments of tool calls of choice 0. */
  toolText: string;
  finishReason: string | null;
  usage: Usage | undefined;
  /** The server's own words where the object reports a failure. */
  error: string | null;
}

type Fields = Record<string, unknown>;

/** Finish reasons with which servers report that they gave up. */
const FAILED_FINISH = new Set(["error", "abort", "aborted", "insufficient_system_resource"]);

/** A delta that contributes nothing. */
export function emptyDelta(): Delta {
  return {
    text: "",
    reasoning: "",
    toolText: "",
    finishReason: null,
    usage: undefined,
    error: null,
  };
}

/** Reads `usage` and failures, which look alike at all endpoints, into `delta`. */
export function readCommonFields(json: Fields, delta: Delta): void {
  delta.error = errorOf(json);
  if (json["usage"] !== undefined && json["usage"] !== null) delta.usage = readUsage(json["usage"]);
}

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

/** The text of a content field: a string, or a list of parts as some servers send it. */
export function contentOf(content: unknown, delta: Delta): void {
  if (typeof content === "string") {
    delta.text += content;
  } else if (Array.isArray(content)) {
    for (const part of content) {
      if (!isFields(part)) continue;
      if (typeof part["text"] === "string") {
        delta.text += part["text"];
      } else if (part["type"] === "thinking" && Array.isArray(part["thinking"])) {
        for (const thought of part["thinking"]) {
          if (isFields(thought)) delta.reasoning += stringOf(thought["text"]);
        }
      }
    }
  }
}

/** The message of a failure that an object reports in any of the ways servers have; null if none. */
export function errorOf(json: Fields): string | null {
  const error = json["error"];
  if (error !== undefined && error !== null && error !== false && error !== "") {
    if (typeof error === "string") return error;
    if (isFields(error)) {
      return stringOf(error["message"]) || stringOf(error["detail"]) ||
        JSON.stringify(error).slice(0, 500);
    }
    return String(error);
  }
  if (json["object"] === "error" || json["type"] === "error") {
    return stringOf(json["message"]) || "Server reported an error without a message";
  }
  if (json["choices"] === undefined && json["usage"] === undefined) {
    const message = stringOf(json["message"]) || stringOf(json["detail"]);
    if (message !== "" && (json["code"] !== undefined || json["detail"] !== undefined)) {
      return message;
    }
  }
  return null;
}

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string as it is, anything else as nothing. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
