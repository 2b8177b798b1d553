import { type Delta, errorOf, isFields, stringOf } from "./delta.ts";
import { judgeEnding, type ReplyProtocol } from "./reply_protocol.ts";
import { readUsage, type Usage } from "./usage.ts";

type Fields = Record<string, unknown>;

/**
 * The replies of Anthropic's Messages: blocks of text, thinking and tool calls, in events that say
 * what they are, ended by `message_stop`, or by a stop reason.
 */
export const MESSAGES_REPLIES: ReplyProtocol = {
  endMark: "[DONE]",
  eventMeanings: new Map([["error", "error"], ["ping", "ignored"]]),
  readDelta(json, delta, eventName) {
    delta.error = errorOf(json);
    const type = stringOf(json["type"]) || eventName;
    switch (type) {
      case "message":
        readWhole(json, delta);
        break;
      case "message_start":
        if (isFields(json["message"])) readWhole(json["message"], delta);
        break;
      case "content_block_start":
        readBlock(json["content_block"], delta);
        break;
      case "content_block_delta":
        readPiece(json["delta"], delta);
        break;
      case "message_delta":
        readStop(isFields(json["delta"]) ? json["delta"] : {}, delta);
        delta.usage = readCounts(json["usage"]);
        break;
      case "message_stop":
        delta.isEnd = true;
        break;
    }
  },
  judge(ending) {
    const { endSeen, isComplete, isWhole, finishReason } = ending;
    const isOrderly = (endSeen && !isWhole) || (isComplete && (isWhole || finishReason !== null));
    return judgeEnding(ending, isOrderly, "message_stop or a stop reason");
  },
};

function readWhole(message: Fields, delta: Delta): void {
  const { content } = message;
  for (const block of Array.isArray(content) ? content : []) readBlock(block, delta);
  readStop(message, delta);
  delta.usage = readCounts(message["usage"]);
}

function readBlock(block: unknown, delta: Delta): void {
  if (!isFields(block)) return;
  switch (block["type"]) {
    case "text":
      delta.text += stringOf(block["text"]);
      break;
    case "thinking":
      delta.reasoning += stringOf(block["thinking"]);
      break;
    case "tool_use":
    case "server_tool_use":
      delta.toolText += stringOf(block["name"]);
      // At the start of a block in a stream it is empty; its pieces follow.
      if (isFields(block["input"]) && Object.keys(block["input"]).length > 0) {
        delta.toolText += JSON.stringify(block["input"]);
      }
      break;
  }
}

function readPiece(piece: unknown, delta: Delta): void {
  if (!isFields(piece)) return;
  switch (piece["type"]) {
    case "text_delta":
      delta.text = stringOf(piece["text"]);
      break;
    case "thinking_delta":
      delta.reasoning = stringOf(piece["thinking"]);
      break;
    case "input_json_delta":
      delta.toolText = stringOf(piece["partial_json"]);
      break;
  }
}

function readStop(fields: Fields, delta: Delta): void {
  const reason = fields["stop_reason"];
  if (typeof reason === "string" && reason !== "") delta.finishReason = reason;
}

/** Anthropic's input tokens are those that no cache had; prompts are all of them. */
function readCounts(value: unknown): Usage | undefined {
  const usage = readUsage(value);
  if (usage === undefined || !isFields(value)) return usage;
  const countOf = (name: string): number => {
    const count = value[name];
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : 0;
  };
  const read = countOf("cache_read_input_tokens");
  const { promptTokens } = usage;
  return {
    ...usage,
    promptTokens: promptTokens === undefined
      ? undefined
      : promptTokens + read + countOf("cache_creation_input_tokens"),
    cachedTokens: value["cache_read_input_tokens"] === undefined ? usage.cachedTokens : read,
  };
}
