import { promptCount } from "../openai/completions.ts";
import { type Delta, errorOf, isFields, stringOf } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { choicesOf, readChoices } from "../openai/read_choices.ts";
import { judgeFinish, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import {
  askedByFields,
  type ReplyPiece,
  type ReplyWriter,
  type ScriptedReply,
} from "../protocol/reply_writer.ts";
import { eventFrame, piecesByChoice, textOf, tokensOf } from "../protocol/scripted_text.ts";
import { newTexts } from "../protocol/new_texts.ts";
import { readSglangWork } from "../protocol/server_work.ts";
import { readUsage } from "../protocol/usage.ts";
import { TEXT_API } from "../protocol/text_api.ts";

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
  askedChoices: ({ text, input_ids: ids, sampling_params: params }) =>
    promptCount(text ?? ids) * choicesOf(isFields(params) ? params["n"] : undefined),
  recognizes: ({ text, input_ids: ids }) => text !== undefined || ids !== undefined,
  replies: growingReplies(),
  writer: generateWriter(),
};

/**
 * Replies whose events each contain all of the text so far or, from servers started with
 * `--incremental-streaming-output`, only the new text. The first events show which.
 */
function growingReplies(): ReplyProtocol {
  const newText = newTexts();
  /** Output tokens of each choice: the server counts each choice separately. */
  const outputTokens: number[] = [];
  const readChoice = (json: Fields, delta: Delta, index: number): void => {
    delta.text = newText(stringOf(json["text"]), index);
    const ids = json["output_ids"];
    // Servers without a tokenizer send numbers of tokens, and no text.
    if (json["text"] === undefined && Array.isArray(ids) && ids.length > 0) delta.items = 1;
    if (isFields(json["meta_info"])) readMeta(json["meta_info"], delta);
    if (delta.usage?.completionTokens !== undefined) {
      outputTokens[index] = delta.usage.completionTokens;
    }
  };
  const countAll = (delta: Delta): void => {
    if (outputTokens.length < 2 || delta.usage === undefined) return;
    const completionTokens = outputTokens.reduce((sum, tokens) => sum + tokens, 0);
    delta.usage = { ...delta.usage, completionTokens };
  };
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"]]),
    forOneReply: growingReplies,
    readDelta(json, delta) {
      readChoices([json], delta, readChoice);
      delta.error ??= errorOf(json);
      countAll(delta);
    },
    /** The samples of one prompt, or of several, in their order. */
    readList(items, delta) {
      readChoices(items, delta, readChoice);
      countAll(delta);
    },
    judge: judgeFinish,
  };
}

function readMeta(meta: Fields, delta: Delta): void {
  delta.usage = readUsage(meta);
  delta.work = readSglangWork(meta);
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
    writesChoices: true,
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      frames(reply) {
        const choices = piecesByChoice(reply);
        const told = choices.map(() => ({ text: "", tokens: 0 }));
        const event = (index: number, finish: unknown) => {
          const { text, tokens } = told[index] as typeof told[number];
          return eventFrame({
            "text": text,
            "meta_info": metaOf(reply, tokens, finish),
            ...(choices.length > 1 ? { "index": index } : {}),
          });
        };
        return {
          opening: [],
          content: reply.pieces.map(({ text, tokens, choice = 0 }) => {
            const known = told[choice] as typeof told[number];
            known.text += text;
            known.tokens += tokens;
            return event(choice, null);
          }),
          closing: [
            ...choices.map((pieces, index) => event(index, finishOf(reply, pieces))),
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
    whole(reply) {
      const items = piecesByChoice(reply).map((pieces) => ({
        "text": textOf(pieces),
        "meta_info": metaOf(reply, tokensOf(pieces), finishOf(reply, pieces)),
      }));
      return {
        contentType: "application/json",
        body: JSON.stringify(items.length > 1 ? items : items[0]),
      };
    },
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

function finishOf(reply: ScriptedReply, pieces: readonly ReplyPiece[]): Fields {
  return reply.finishReason === "length"
    ? { "type": "length", "length": tokensOf(pieces) }
    : { "type": "stop", "matched": 2 };
}
