import { bodyPieces, inputOf, messagePieces, toolPieces } from "../protocol/body_pieces.ts";
import { countParts } from "../protocol/body_texts.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { askedByFields, type ReplyWriter, type ScriptedReply } from "../protocol/reply_writer.ts";
import { RESPONSES_CONVERSATION } from "./responses_conversation.ts";
import { RESPONSES_REPLIES } from "./responses_replies.ts";
import {
  eventFrame,
  opensCall,
  replyParts,
  textOf,
  tokensOf,
  type WholeCall,
} from "../protocol/scripted_text.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** OpenAI's Responses. */
export const responses: EndpointType = {
  ...TEXT_API,
  name: "responses",
  summary: "OpenAI Responses",
  path: "/v1/responses",
  usesChatTemplate: true,
  media: ["image", "audio"],
  conversation: RESPONSES_CONVERSATION,

  buildBody(content, settings) {
    const message = RESPONSES_CONVERSATION.userMessage(content);
    return RESPONSES_CONVERSATION.buildBody([message], content, settings);
  },

  ...inputOf(({ tools, instructions, input }) => [
    ...toolPieces(tools),
    ...messagePieces({ "role": "system", "content": instructions }),
    ...typeof input === "string"
      ? messagePieces({ "role": "user", "content": input })
      : bodyPieces(undefined, input),
  ]),
  countImages: ({ input }) => countParts(input, "input_image"),
  outputLimits: (fields) => [["max_output_tokens", fields["max_output_tokens"]]],
  replies: RESPONSES_REPLIES,
  writer: responsesWriter(),
};

function responsesWriter(): ReplyWriter {
  return {
    writesReasoning: true,
    writesCalls: "pieces",
    asked: (fields) => askedByFields(fields),
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      frames(reply) {
        let number = 0;
        const event = (type: string, fields: Record<string, unknown>) =>
          eventFrame({ "type": type, ...fields, "sequence_number": number++ }, type);
        const started = { ...responseFields(reply), "status": "in_progress", "output": [] };
        const item = { "item_id": `msg_${reply.id}`, "output_index": 0, "content_index": 0 };
        const { answer, calls } = replyParts(reply.pieces);
        const end = reply.finishReason === "length" ? "incomplete" : "completed";
        return {
          opening: [
            event("response.created", { "response": started }),
            event("response.in_progress", { "response": started }),
            event("response.output_item.added", {
              "output_index": 0,
              "item": { ...messageItem(reply, ""), "status": "in_progress", "content": [] },
            }),
          ],
          content: reply.pieces.map(({ text, isReasoning, call }, place) => {
            if (call === undefined) {
              const kind = `response.${isReasoning ? "reasoning" : "output"}_text.delta`;
              return event(kind, { ...item, "delta": text });
            }
            const { index } = call;
            const added = { "item": callItem({ ...call, argumentsText: "" }, "in_progress") };
            const at = { "item_id": `fc_${call.id}`, "output_index": index + 1 };
            return [
              opensCall(reply.pieces, place)
                ? event("response.output_item.added", { "output_index": index + 1, ...added })
                : "",
              text === ""
                ? ""
                : event("response.function_call_arguments.delta", { ...at, "delta": text }),
            ].join("");
          }),
          closing: [
            event("response.output_text.done", { ...item, "text": textOf(answer) }),
            ...calls.map((call) =>
              event("response.function_call_arguments.done", {
                "item_id": `fc_${call.id}`,
                "output_index": call.index + 1,
                "arguments": call.argumentsText,
              })
            ),
            event(`response.${end}`, { "response": wholeResponse(reply) }),
          ],
        };
      },
      failure: (message) => [
        eventFrame({
          "type": "response.failed",
          "response": {
            "object": "response",
            "status": "failed",
            "error": { "code": "server_error", "message": message },
          },
        }, "response.failed"),
      ],
      malformed: "event: response.output_text.delta\ndata: {broken\n\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify(wholeResponse(reply)),
    }),
  };
}

function responseFields(reply: ScriptedReply): Record<string, unknown> {
  return {
    "id": `resp_${reply.id}`,
    "object": "response",
    "created_at": reply.createdSeconds,
    "model": reply.model,
    "error": null,
    "incomplete_details": null,
  };
}

function messageItem(reply: ScriptedReply, text: string): Record<string, unknown> {
  return {
    "id": `msg_${reply.id}`,
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{ "type": "output_text", "text": text, "annotations": [] }],
  };
}

function callItem({ id, name, argumentsText }: WholeCall, status: string): Record<string, unknown> {
  return {
    "id": `fc_${id}`,
    "type": "function_call",
    "call_id": id,
    "name": name,
    "arguments": argumentsText,
    "status": status,
  };
}

function wholeResponse(reply: ScriptedReply): Record<string, unknown> {
  const { thoughts, answer, calls } = replyParts(reply.pieces);
  const isCut = reply.finishReason === "length";
  const outputTokens = tokensOf(reply.pieces);
  return {
    ...responseFields(reply),
    "status": isCut ? "incomplete" : "completed",
    ...(isCut ? { "incomplete_details": { "reason": "max_output_tokens" } } : {}),
    "output": [
      ...(thoughts.length === 0 ? [] : [{
        "id": `rs_${reply.id}`,
        "type": "reasoning",
        "summary": [],
        "content": [{ "type": "reasoning_text", "text": textOf(thoughts) }],
      }]),
      ...(answer.length === 0 ? [] : [messageItem(reply, textOf(answer))]),
      ...calls.map((call) => callItem(call, "completed")),
    ],
    "usage": {
      "input_tokens": reply.promptTokens,
      "input_tokens_details": { "cached_tokens": reply.cachedTokens ?? 0 },
      "output_tokens": outputTokens,
      "output_tokens_details": { "reasoning_tokens": tokensOf(thoughts) },
      "total_tokens": reply.promptTokens + outputTokens,
    },
  };
}
