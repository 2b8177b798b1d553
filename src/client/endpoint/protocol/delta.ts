import { wordsOf } from "./error_words.ts";
import { isFields, stringOf } from "./json_fields.ts";
import { readServerWork, type ServerWork } from "./server_work.ts";
import { readUsage, type Usage } from "./usage.ts";

export { isFields, stringOf };

/** Contribution of one JSON object of a reply: of a chunk of a stream, or of a whole body. */
export interface Delta {
  /** Answer text. With several choices, this and all fields below are those of choice 0. */
  text: string;
  /** Reasoning text. */
  reasoning: string;
  /** Reasoning as pieces, or as all of the reasoning so far: earlier objects decide which. */
  readonly reasoningParts: ReasoningPart[];
  /** Text of a field that no API documents: reasoning if no answer has begun. */
  unknownText: string;
  /** Names and arguments of tool calls. */
  toolText: string;
  /** Pieces of tool calls, of each what the object brought of it. */
  readonly toolCalls: ToolCall[];
  finishReason: string | null;
  usage: Usage | undefined;
  /** The server's own report about its work on the request. */
  work: ServerWork | undefined;
  /** The server's own words where the object reports a failure. */
  error: string | null;
  /** Results that are no text: embeddings, ranks, images. */
  items: number;
  /** Whether the object says that the reply is over. */
  isEnd: boolean;
  /** Content of choices other than choice 0. */
  readonly others: ChoiceDelta[];
}

/** Reasoning that an object has in a list. */
export interface ReasoningPart {
  /** Number of the part within the reply, from 0. */
  readonly index: number;
  readonly text: string;
}

/** Content that an object adds to a choice other than choice 0. */
export interface ChoiceDelta extends
  Readonly<
    Pick<
      Delta,
      | "text"
      | "reasoning"
      | "reasoningParts"
      | "unknownText"
      | "toolText"
      | "toolCalls"
      | "finishReason"
      | "items"
    >
  > {
  /** Number of the choice, from 1. */
  readonly index: number;
}

/** A call of a tool, or a piece of one. */
export interface ToolCall {
  /** Place among the calls of a reply; {@linkcode WHOLE_CALL} for the next one. */
  readonly index: number;
  id: string;
  name: string;
  argumentsText: string;
}

/** Stands for the place of a call that comes whole, from a server that does not number them. */
export const WHOLE_CALL = -1;

type Fields = Record<string, unknown>;

/** A delta that contributes nothing. */
export function emptyDelta(): Delta {
  return {
    text: "",
    reasoning: "",
    reasoningParts: [],
    unknownText: "",
    toolText: "",
    toolCalls: [],
    finishReason: null,
    usage: undefined,
    work: undefined,
    error: null,
    items: 0,
    isEnd: false,
    others: [],
  };
}

/** Makes a delta contribute nothing. */
export function clearDelta(delta: Delta): void {
  delta.text = "";
  delta.reasoning = "";
  if (delta.reasoningParts.length > 0) delta.reasoningParts.length = 0;
  delta.unknownText = "";
  delta.toolText = "";
  if (delta.toolCalls.length > 0) delta.toolCalls.length = 0;
  delta.finishReason = null;
  delta.usage = undefined;
  delta.work = undefined;
  delta.error = null;
  delta.items = 0;
  delta.isEnd = false;
  if (delta.others.length > 0) delta.others.length = 0;
}

/** Reads `usage`, failures and reports of the server's work, alike at all endpoints, into `delta`. */
export function readCommonFields(json: Fields, delta: Delta): void {
  delta.error = errorOf(json);
  if (json["usage"] !== undefined && json["usage"] !== null) delta.usage = readUsage(json["usage"]);
  delta.work = readServerWork(json);
}

/** The message of a failure that an object reports in any of the ways servers have; null if none. */
export function errorOf(json: Fields): string | null {
  const error = json["error"];
  if (error !== undefined && error !== null && error !== false && error !== "") {
    if (typeof error === "object") return wordsOf(error) || JSON.stringify(error).slice(0, 500);
    return String(error);
  }
  if (json["object"] === "error" || json["type"] === "error") {
    return wordsOf(json) || "Server reported an error without a message";
  }
  if (json["choices"] === undefined && json["usage"] === undefined) {
    const { message, detail, errors, code } = json;
    const words = wordsOf(message) || wordsOf(detail) || wordsOf(errors);
    if (words !== "" && [code, detail, errors].some((value) => value !== undefined)) return words;
  }
  return null;
}
