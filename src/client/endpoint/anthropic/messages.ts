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
import { eventFrame, splitReasoning, textOf, tokensOf } from "../protocol/scripted_text.ts";
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
              "usage": { "input_tokens": reply.promptTokens, "output_tokens": 1 },
            },
          }),
          event("ping", {}),
        ],
        content: contentFrames(reply.pieces),
        closing: [
          ...(reply.pieces.length === 0
            ? []
            : [event("content_block_stop", { "index": blockOf(reply.pieces, -1) })]),
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
      const { thoughts, answer } = splitReasoning(reply.pieces);
      return {
        contentType: "application/json",
        body: JSON.stringify({
          ...messageFields(reply),
          "content": [
            ...(thoughts.length === 0
              ? []
              : [{ "type": "thinking", "thinking": textOf(thoughts), "signature": "" }]),
            ...(answer.length === 0 ? [] : [{ "type": "text", "text": textOf(answer) }]),
          ],
          "stop_reason": stopReason(reply),
          "stop_sequence": null,
          "usage": {
            "input_tokens": reply.promptTokens,
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

function stopReason({ finishReason }: ScriptedReply): string {
  return finishReason === "length" ? "max_tokens" : "end_turn";
}

/** A frame for each piece; the first of a block begins it, and ends the one before. */
function contentFrames(pieces: readonly ReplyPiece[]): string[] {
  return pieces.map(({ text, isReasoning }, place) => {
    const index = blockOf(pieces, place);
    const isFirst = place === 0 || pieces[place - 1]?.isReasoning !== isReasoning;
    const block = isReasoning
      ? { "type": "thinking", "thinking": "", "signature": "" }
      : { "type": "text", "text": "" };
    const delta = isReasoning
      ? { "type": "thinking_delta", "thinking": text }
      : { "type": "text_delta", "text": text };
    return (isFirst && index > 0 ? event("content_block_stop", { "index": index - 1 }) : "") +
      (isFirst ? event("content_block_start", { "index": index, "content_block": block }) : "") +
      event("content_block_delta", { "index": index, "delta": delta });
  });
}

/** Number of the block of a piece: thinking comes first where there is any. */
function blockOf(pieces: readonly ReplyPiece[], place: number): number {
  return pieces[0]?.isReasoning && !pieces.at(place)?.isReasoning ? 1 : 0;
}
