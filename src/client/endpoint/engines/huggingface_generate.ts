import { type Delta, errorOf, isFields, stringOf } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import type { ReplyWriter, ScriptedReply } from "../protocol/reply_writer.ts";
import { eventFrame, textOf, tokensOf } from "../protocol/scripted_text.ts";
import { readUsage } from "../protocol/usage.ts";
import { TEXT_API } from "../protocol/text_api.ts";

type Fields = Record<string, unknown>;

/** The own API of Hugging Face's Text Generation Inference. */
export const huggingfaceGenerate: EndpointType = {
  ...TEXT_API,
  name: "huggingface-generate",
  aliases: ["tgi"],
  summary: "Hugging Face TGI, its own API",
  path: "/generate",
  streamingPath: "/generate_stream",
  usesChatTemplate: false,
  media: [],

  buildBody: (content, settings) => ({
    "inputs": content.texts.join(" "),
    "parameters": {
      ...(content.outputTokens === undefined ? {} : { "max_new_tokens": content.outputTokens }),
      ...settings.extraInputs,
    },
    ...content.extra,
  }),

  inputTexts: ({ inputs }) => typeof inputs === "string" ? [inputs] : [],
  countImages: () => 0,
  outputLimits: ({ parameters }) => [[
    "parameters.max_new_tokens",
    isFields(parameters) ? parameters["max_new_tokens"] : undefined,
  ]],
  recognizes: ({ inputs }) => inputs !== undefined,
  replies: tgiReplies(),
  writer: tgiWriter(),
};

/**
 * Tokens in events; the last event repeats the whole text. A non-streamed reply consists only of
 * that last object.
 */
function tgiReplies(): ReplyProtocol {
  return {
    endMark: "[DONE]",
    eventMeanings: new Map([["error", "error"]]),
    readDelta(json, delta) {
      delta.error = errorOf(json);
      const { token, generated_text: text } = json;
      // Special tokens, such as the one that ends a text, are no part of it.
      if (isFields(token)) {
        if (token["special"] !== true) delta.text = stringOf(token["text"]);
      } else {
        delta.text = stringOf(text);
      }
      delta.isEnd = typeof text === "string";
      if (isFields(json["details"])) readDetails(json["details"], delta);
    },
    readList(items, delta) {
      const [first] = items;
      if (isFields(first)) this.readDelta(first, delta, "");
    },
    judge(ending) {
      const isOrderly = ending.isWhole
        ? ending.isComplete
        : ending.endSeen || (ending.isComplete && ending.finishReason !== null);
      return judgeEnding(ending, isOrderly, "an event with generated_text");
    },
  };
}

function readDetails(details: Fields, delta: Delta): void {
  const { finish_reason: reason, prefill } = details;
  if (typeof reason === "string" && reason !== "") delta.finishReason = reason;
  delta.usage = readUsage({
    "prompt_tokens": details["input_length"] ??
      (Array.isArray(prefill) && prefill.length > 0 ? prefill.length : undefined),
    "completion_tokens": details["generated_tokens"],
  });
}

function tgiWriter(): ReplyWriter {
  return {
    writesReasoning: false,
    asked: ({ parameters }, isStreamingPath) => ({
      model: undefined,
      streaming: isStreamingPath,
      includeUsage: isFields(parameters) && parameters["details"] === true,
      usageInChunks: false,
    }),
    stream: {
      contentType: "text/event-stream",
      frames: (reply) => ({
        opening: [],
        content: reply.pieces.map(({ text }, index) => tokenEvent(index, text, null, null)),
        closing: [
          tokenEvent(reply.pieces.length, "</s>", textOf(reply.pieces), {
            ...detailsOf(reply),
            "input_length": reply.promptTokens,
          }),
        ],
      }),
      failure: (message) => [eventFrame({ "error": message, "error_type": "generation" })],
      malformed: "data:{broken\n\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify({
        "generated_text": textOf(reply.pieces),
        ...(reply.includeUsage
          ? { "details": { ...detailsOf(reply), "prefill": [], "tokens": [] } }
          : {}),
      }),
    }),
  };
}

function tokenEvent(index: number, text: string, all: string | null, details: unknown): string {
  return eventFrame({
    "index": index + 1,
    "token": { "id": 100 + index, "text": text, "logprob": -0.5, "special": all !== null },
    "generated_text": all,
    "details": details,
  });
}

function detailsOf(reply: ScriptedReply): Fields {
  return {
    "finish_reason": reply.finishReason === "length" ? "length" : "eos_token",
    "generated_tokens": tokensOf(reply.pieces),
    "seed": null,
  };
}
