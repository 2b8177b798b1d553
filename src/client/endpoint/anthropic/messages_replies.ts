import { type Delta, errorOf, isFields, stringOf } from "../protocol/delta.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import { readUsage, type Usage } from "../protocol/usage.ts";

type Fields = Record<string, unknown>;

/**
 * The replies of Anthropic's Messages: blocks of text, thinking and tool calls, in events that name
 * their type, ended by `message_stop`, or by a stop reason.
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
        readBlock(json["content_block"], json["index"], delta);
        break;
      case "content_block_delta":
        readPiece(json["delta"], json["index"], delta);
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
  if (Array.isArray(content)) content.forEach((block, place) => readBlock(block, place, delta));
  readStop(message, delta);
  delta.usage = readCounts(message["usage"]);
}

/** @param index its place in the reply */
function readBlock(block: unknown, index: unknown, delta: Delta): void {
  if (!isFields(block)) return;
  switch (block["type"]) {
    case "text":
      delta.text += stringOf(block["text"]);
      break;
    case "thinking":
      delta.reasoning += stringOf(block["thinking"]);
      break;
    case "tool_use":
      readCall(block, index, delta);
      break;
    case "server_tool_use":
      // The server has made the call itself: nothing to be answered.
      delta.toolText += callText(block);
      break;
  }
}

function readCall(block: Fields, index: unknown, delta: Delta): void {
  delta.toolText += callText(block);
  if (typeof index !== "number") return;
  delta.toolCalls.push({
    index,
    id: stringOf(block["id"]),
    name: stringOf(block["name"]),
    argumentsText: inputText(block),
  });
}

function callText(block: Fields): string {
  return stringOf(block["name"]) + inputText(block);
}

/** At the start of a block in a stream it is empty; its pieces follow. */
function inputText({ input }: Fields): string {
  return isFields(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

function readPiece(piece: unknown, index: unknown, delta: Delta): void {
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
      if (typeof index === "number") {
        delta.toolCalls.push({ index, id: "", name: "", argumentsText: delta.toolText });
      }
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
