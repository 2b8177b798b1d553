import { type Delta, errorOf, isFields, stringOf } from "../protocol/delta.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { readUsage } from "../protocol/usage.ts";

type Fields = Record<string, unknown>;

/** Events that bring a piece of text, without `.delta`, and where the piece goes. */
const PIECES: ReadonlyMap<string, "text" | "reasoning" | "toolText"> = new Map([
  ["response.output_text", "text"],
  ["response.refusal", "text"],
  ["response.reasoning_text", "reasoning"],
  ["response.reasoning_summary_text", "reasoning"],
  ["response.function_call_arguments", "toolText"],
  ["response.mcp_call_arguments", "toolText"],
  ["response.custom_tool_call_input", "toolText"],
  ["response.code_interpreter_call_code", "toolText"],
]);
/** The field with the whole text in the event that ends such pieces. */
const WHOLE_TEXT = ["text", "refusal", "arguments", "input", "code"];
const CALLS = new Set(["function_call", "custom_tool_call", "mcp_call"]);
/**
 * The reason given when a limit of output tokens ended the reply: the reply has the requested
 * length.
 */
const AT_LIMIT = "max_output_tokens";

/**
 * The replies of OpenAI's Responses: events that name their type, ended by `response.completed`, or
 * by `response.incomplete` where the output reached its limit.
 */
export const RESPONSES_REPLIES: ReplyProtocol = responsesReplies();

function responsesReplies(): ReplyProtocol {
  /** The parts of which pieces have come, or names: what ends them repeats their text. */
  const begun = new Set<string>();
  return {
    // Some servers end with it as others do; it does not make a reply complete.
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"]]),
    forOneReply: responsesReplies,
    readDelta(json, delta, eventName) {
      delta.error = errorOf(json);
      const type = stringOf(json["type"]) || eventName;
      if (json["object"] === "response" || Array.isArray(json["output"])) {
        readResponse(json, delta);
        readOutput(json, delta);
      } else if (type.endsWith(".delta") || type.endsWith(".done")) {
        readPiece(type, json, begun, delta);
      } else if (type === "response.output_item.added") {
        readCall(json["item"], json["output_index"], delta);
        if (delta.toolText !== "") begun.add(`call ${json["output_index"]}`);
      } else if (isEnd(type)) {
        const response = isFields(json["response"]) ? json["response"] : {};
        readResponse({ "status": type.slice("response.".length), ...response }, delta);
        // A server that sends no pieces sends its output with the end.
        if (begun.size === 0) readOutput(response, delta);
        delta.isEnd = true;
      }
    },
    judge(ending) {
      const { isWhole, isComplete, finishReason } = ending;
      const isOrderly = isWhole ? isComplete : finishReason !== null;
      return judgeEnding(ending, isOrderly, "response.completed");
    },
  };
}

function isEnd(type: string): boolean {
  return /^response\.(completed|failed|incomplete|cancelled)$/.test(type);
}

/** Reads a piece of a part, or the end of one whose pieces never came. */
function readPiece(type: string, json: Fields, begun: Set<string>, delta: Delta): void {
  const kind = type.slice(0, type.lastIndexOf("."));
  const target = PIECES.get(kind);
  if (target === undefined) return;
  const { item_id, output_index, content_index, summary_index } = json;
  const part = `${kind} ${item_id} ${output_index} ${content_index ?? summary_index}`;
  // Some servers number the end of a part otherwise than its pieces.
  const output = `open ${kind} ${output_index ?? item_id}`;
  if (type.endsWith(".delta")) {
    const text = stringOf(json["delta"]);
    if (text !== "") begun.add(part).add(output);
    delta[target] = text;
  } else if (begun.delete(output) || begun.has(part)) {
    begun.add(part);
  } else {
    delta[target] = WHOLE_TEXT.map((name) => stringOf(json[name])).find((text) => text !== "") ??
      "";
    if (delta[target] !== "") begun.add(part);
  }
  if (target === "toolText" && typeof output_index === "number" && delta.toolText !== "") {
    delta.toolCalls.push({ index: output_index, id: "", name: "", argumentsText: delta.toolText });
  }
}

/** A call of a tool; in a stream its name comes before its arguments. */
function readCall(item: unknown, index: unknown, delta: Delta): void {
  if (!isFields(item) || !CALLS.has(stringOf(item["type"]))) return;
  const name = stringOf(item["name"]);
  const argumentsText = stringOf(item["arguments"]) || stringOf(item["input"]);
  delta.toolText += name + argumentsText;
  delta.toolCalls.push({
    index: typeof index === "number" ? index : delta.toolCalls.length,
    id: stringOf(item["call_id"]) || stringOf(item["id"]),
    name,
    argumentsText,
  });
}

/** Reads how a response ended, and its token counts. */
function readResponse(response: Fields, delta: Delta): void {
  const status = stringOf(response["status"]);
  delta.usage = readUsage(response["usage"]);
  delta.error ??= errorOf({ "error": response["error"] });
  if (status === "incomplete") {
    const details = response["incomplete_details"];
    const reason = isFields(details) ? stringOf(details["reason"]) : "";
    delta.finishReason = reason || status;
    if (reason !== AT_LIMIT) {
      delta.error ??= `Server left the response incomplete${reason === "" ? "" : `: ${reason}`}`;
    }
  } else if (status === "failed" || status === "cancelled") {
    delta.finishReason = status;
    delta.error ??= `Server ended the response with status ${status}`;
  } else if (status === "completed") {
    delta.finishReason = status;
  }
}

/** Reads the output of a whole response. */
function readOutput(response: Fields, delta: Delta): void {
  const output = response["output"];
  for (const item of Array.isArray(output) ? output : []) {
    if (!isFields(item)) continue;
    const type = stringOf(item["type"]);
    if (type === "message") {
      for (const part of partsOf(item["content"])) {
        delta.text += stringOf(part["text"]) + stringOf(part["refusal"]);
      }
    } else if (type === "reasoning") {
      for (const part of [...partsOf(item["summary"]), ...partsOf(item["content"])]) {
        delta.reasoning += stringOf(part["text"]);
      }
    } else {
      readCall(item, undefined, delta);
    }
  }
  if (delta.text === "") delta.text = stringOf(response["output_text"]);
}

function partsOf(parts: unknown): Fields[] {
  return Array.isArray(parts) ? parts.filter(isFields) : [];
}
