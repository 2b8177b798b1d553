import { type Delta, errorOf, isFields, stringOf } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { judgeFinish, type ReplyProtocol } from "./reply_protocol.ts";
import { askedByFields, type ReplyWriter, type ScriptedReply } from "./reply_writer.ts";
import { eventFrame, textOf, tokensOf } from "./scripted_text.ts";
import { readUsage } from "./usage.ts";
import { TEXT_API } from "./text_api.ts";

type Fields = Record<string, unknown>;

/** SGLang's own API. */
export const generate: EndpointType = {
  ...TEXT_API,
  name: "generate",
  aliases: ["sglang-generate", "sglang"],
  summary: "SGLang, its own API",
  path: "/generate",
  usesChatTemplate: false,
  media: ["image"],

  buildBody(content, settings) {
    const { sampling_params: shared, ...extraInputs } = settings.extraInputs;
    const { sampling_params: own, ...extra } = content.extra;
    return {
      "text": content.texts.join(" "),
      ...(content.images.length === 0 ? {} : { "image_data": content.images }),
      "sampling_params": {
        ...(isFields(shared) ? shared : {}),
        ...(content.outputTokens === undefined ? {} : { "max_new_tokens": content.outputTokens }),
        ...(isFields(own) ? own : {}),
      },
      "stream": settings.streaming,
      ...extraInputs,
      ...extra,
    };
  },

  inputTexts: ({ text }) => typeof text === "string" ? [text] : [],
  countImages: ({ image_data: images }) => Array.isArray(images) ? images.length : 0,
  outputLimits: ({ sampling_params: params }) => [[
    "sampling_params.max_new_tokens",
    isFields(params) ? params["max_new_tokens"] : undefined,
  ]],
  recognizes: ({ text, input_ids: ids }) => text !== undefined || ids !== undefined,
  replies: growingReplies(),
  writer: generateWriter(),
};

/**
 * Each event has all of the text so far, or, of servers started with `--incremental-streaming-output`,
 * what is new alone: the first two events tell which.
 */
function growingReplies(): ReplyProtocol {
  let told = "";
  let isGrowing: boolean | undefined;
  const newText = (text: string): string => {
    if (told !== "" && text !== "") isGrowing ??= text.startsWith(told);
    if (isGrowing === false) return text;
    const added = text.slice(told.length);
    if (text.length > told.length) told = text;
    return added;
  };
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"]]),
    forOneReply: growingReplies,
    readDelta(json, delta) {
      delta.error = errorOf(json);
      // Of several samples, the first.
      if (typeof json["index"] === "number" && json["index"] !== 0) return;
      delta.text = newText(stringOf(json["text"]));
      const ids = json["output_ids"];
      // Servers without a tokenizer send numbers of tokens, and no text.
      if (json["text"] === undefined && Array.isArray(ids) && ids.length > 0) delta.items = 1;
      if (isFields(json["meta_info"])) readMeta(json["meta_info"], delta);
    },
    readList(items, delta) {
      const [first] = items;
      if (isFields(first)) this.readDelta(first, delta, "");
    },
    judge: judgeFinish,
  };
}

function readMeta(meta: Fields, delta: Delta): void {
  delta.usage = readUsage(meta);
  const reason = meta["finish_reason"];
  if (typeof reason === "string" && reason !== "") {
    delta.finishReason = reason;
  } else if (isFields(reason)) {
    delta.finishReason = stringOf(reason["type"]) || "unknown";
    if (delta.finishReason === "abort") {
      delta.error ??= stringOf(reason["message"]) || "Server aborted the request";
    }
  }
}

function generateWriter(): ReplyWriter {
  return {
    writesReasoning: false,
    asked: (fields) => askedByFields(fields, { usageInChunks: true }),
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      frames(reply) {
        let text = "";
        let tokens = 0;
        return {
          opening: [],
          content: reply.pieces.map((piece) =>
            eventFrame({
              "text": text += piece.text,
              "meta_info": metaOf(reply, tokens += piece.tokens, null),
            })
          ),
          closing: [
            eventFrame({ "text": text, "meta_info": metaOf(reply, tokens, finishOf(reply)) }),
            "data: [DONE]\n\n",
          ],
        };
      },
      failure: (message) => [
        eventFrame({ "error": { "message": message, "type": "InternalServerError" } }),
        "data: [DONE]\n\n",
      ],
      malformed: "data: {broken\n\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "text": textOf(reply.pieces),
        "meta_info": metaOf(reply, tokensOf(reply.pieces), finishOf(reply)),
      }),
    }),
  };
}

function metaOf(reply: ScriptedReply, tokens: number, finish: unknown): Fields {
  return {
    "id": reply.id,
    "finish_reason": finish,
    "prompt_tokens": reply.promptTokens,
    "completion_tokens": tokens,
    "cached_tokens": 0,
  };
}

function finishOf(reply: ScriptedReply): Fields {
  return reply.finishReason === "length"
    ? { "type": "length", "length": tokensOf(reply.pieces) }
    : { "type": "stop", "matched": 2 };
}
