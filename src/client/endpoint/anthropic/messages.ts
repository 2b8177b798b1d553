import { bodyPieces, inputOf, messagePieces, toolPieces } from "../protocol/body_pieces.ts";
import { countParts } from "../protocol/body_texts.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { MESSAGES_CONVERSATION } from "./messages_conversation.ts";
import { MESSAGES_REPLIES } from "./messages_replies.ts";
import {
  askedByFields,
  type ReplyPiece,
  type ReplyWriter,
  type ScriptedReply,
} from "../protocol/reply_writer.ts";
import { eventFrame, replyParts, textOf, tokensOf } from "../protocol/scripted_text.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** Anthropic's Messages. */
export const messages: EndpointType = {
  ...TEXT_API,
  name: "messages",
  aliases: ["anthropic", "anthropic-messages"],
  summary: "Anthropic Messages",
  path: "/v1/messages",
  usesChatTemplate: true,
  media: ["image"],
  conversation: MESSAGES_CONVERSATION,
  headers: [["anthropic-version", "2023-06-01"]],
  keyHeader: "x-api-key",

  buildBody(content, settings) {
    const message = MESSAGES_CONVERSATION.userMessage(content);
    return MESSAGES_CONVERSATION.buildBody([message], content, settings);
  },

  ...inputOf(({ tools, system, messages }) => [
    ...toolPieces(tools),
    ...messagePieces({ "role": "system", "content": system }),
    ...bodyPieces(undefined, messages),
  ]),
  countImages: ({ messages }) => countParts(messages, "image"),
  outputLimits: (fields) => [["max_tokens", fields["max_tokens"]]],
  replies: MESSAGES_REPLIES,
  writer: messagesWriter(),
};

function messagesWriter(): ReplyWriter {
  return {
    writesReasoning: true,
    writesCalls: "pieces",
    asked: (fields) => askedByFields(fields),
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      frames: (reply) => ({
        opening: [
          event("message_start", {
            "message": {
              ...messageFields(reply),
              "content": [],
              "stop_reason": null,
              "stop_sequence": null,
              "usage": { ...inputCounts(reply), "output_tokens": 1 },
            },
          }),
          event("ping", {}),
        ],
        content: contentFrames(reply.pieces),
        closing: [
          ...(reply.pieces.length === 0
            ? []
            : [event("content_block_stop", { "index": lastBlock(reply.pieces) })]),
          event("message_delta", {
            "delta": { "stop_reason": stopReason(reply), "stop_sequence": null },
            "usage": { "output_tokens": tokensOf(reply.pieces) },
          }),
          event("message_stop", {}),
        ],
      }),
      failure: (message) => [
        event("error", { "error": { "type": "overloaded_error", "message": message } }),
      ],
      malformed: "event: content_block_delta\ndata: {broken\n\n",
    },
    whole(reply) {
      const { thoughts, answer, calls } = replyParts(reply.pieces);
      return {
        contentType: "application/json",
        body: JSON.stringify({
          ...messageFields(reply),
          "content": [
            ...(thoughts.length === 0
              ? []
              : [{ "type": "thinking", "thinking": textOf(thoughts), "signature": "" }]),
            ...(answer.length === 0 ? [] : [{ "type": "text", "text": textOf(answer) }]),
            ...calls.map(({ id, name, argumentsText }) => ({
              "type": "tool_use",
              "id": id,
              "name": name,
              "input": objectOf(argumentsText),
            })),
          ],
          "stop_reason": stopReason(reply),
          "stop_sequence": null,
          "usage": {
            ...inputCounts(reply),
            "output_tokens": tokensOf(reply.pieces),
          },
        }),
      };
    },
  };
}

function event(type: string, fields: Record<string, unknown>): string {
  return eventFrame({ "type": type, ...fields }, type);
}

function messageFields({ id, model }: ScriptedReply): Record<string, unknown> {
  return { "id": `msg_${id}`, "type": "message", "role": "assistant", "model": model };
}

/** Anthropic counts the tokens that were in the cache apart from the others. */
function inputCounts({ promptTokens, cachedTokens }: ScriptedReply): Record<string, number> {
  if (cachedTokens === undefined) return { "input_tokens": promptTokens };
  return {
    "input_tokens": promptTokens - cachedTokens,
    "cache_read_input_tokens": cachedTokens,
    "cache_creation_input_tokens": 0,
  };
}

const STOP_REASONS = { "stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use" };

function stopReason({ finishReason }: ScriptedReply): string {
  return STOP_REASONS[finishReason];
}

/** Arguments as the object that they are; empty if the limit of tokens cut them. */
function objectOf(argumentsText: string): unknown {
  try {
    return JSON.parse(argumentsText);
  } catch {
    return {};
  }
}

/** A frame for each piece; the first of a block begins it, and ends the one before. */
function contentFrames(pieces: readonly ReplyPiece[]): string[] {
  let index = -1;
  return pieces.map((piece, place) => {
    const { text, call } = piece;
    const before = pieces[place - 1];
    const isFirst = before === undefined || blockKind(before) !== blockKind(piece);
    if (isFirst) index++;
    const delta = piece.isReasoning
      ? { "type": "thinking_delta", "thinking": text }
      : call === undefined
      ? { "type": "text_delta", "text": text }
      : { "type": "input_json_delta", "partial_json": text };
    return [
      isFirst && index > 0 ? event("content_block_stop", { "index": index - 1 }) : "",
      isFirst
        ? event("content_block_start", { "index": index, "content_block": emptyBlock(piece) })
        : "",
      event("content_block_delta", { "index": index, "delta": delta }),
    ].join("");
  });
}

/** Pieces that follow each other are of one block if this is equal. */
function blockKind({ isReasoning, call }: ReplyPiece): string {
  return call === undefined ? `${isReasoning}` : `call ${call.index}`;
}

function emptyBlock({ isReasoning, call }: ReplyPiece): Record<string, unknown> {
  if (isReasoning) return { "type": "thinking", "thinking": "", "signature": "" };
  if (call === undefined) return { "type": "text", "text": "" };
  return { "type": "tool_use", "id": call.id, "name": call.name, "input": {} };
}

/** Number of the last block. */
function lastBlock(pieces: readonly ReplyPiece[]): number {
  return new Set(pieces.map(blockKind)).size - 1;
}
