import { errorOf, stringOf } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { judgeEnding, type ReplyProtocol } from "../protocol/reply_protocol.ts";
import type { ReplyWriter, ScriptedReply } from "../protocol/reply_writer.ts";
import { eventFrame, textOf, tokensOf } from "../protocol/scripted_text.ts";
import { readUsage } from "../protocol/usage.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** The generate extension of KServe's protocol v2, as Triton has it. */
export const kserve: EndpointType = {
  ...TEXT_API,
  name: "kserve",
  aliases: ["triton", "kserve-v2", "kserve-generate", "triton-generate"],
  summary: "KServe v2 and Triton, generate extension",
  path: "/v2/models/{model_name}/generate",
  streamingPath: "/v2/models/{model_name}/generate_stream",
  usesChatTemplate: false,
  media: [],

  buildBody: (content, settings) => ({
    "text_input": content.texts.join(" "),
    ...(content.outputTokens === undefined ? {} : { "max_tokens": content.outputTokens }),
    "stream": settings.streaming,
    ...settings.extraInputs,
    ...content.extra,
  }),

  inputTexts: ({ text_input: text }) => typeof text === "string" ? [text] : [],
  countImages: () => 0,
  outputLimits: (fields) => [["max_tokens", fields["max_tokens"]]],
  replies: tritonReplies(),
  writer: tritonWriter(),
};

/**
 * Pieces in events that nothing ends but the body's own end: an end of the body that is orderly by
 * its framing is the end of the reply. Counts that models give cover only their event.
 */
function tritonReplies(): ReplyProtocol {
  let outputTokens = 0;
  return {
    eventMeanings: new Map([["error", "error"]]),
    forOneReply: tritonReplies,
    readDelta(json, delta) {
      delta.error = errorOf(json);
      const output = json["text_output"];
      delta.text = Array.isArray(output) ? stringOf(output[0]) : stringOf(output);
      const reason = json["finish_reason"];
      if (typeof reason === "string" && reason !== "") delta.finishReason = reason;
      const tokens = json["num_output_tokens"];
      if (typeof tokens === "number") outputTokens += tokens;
      delta.usage = readUsage({
        "prompt_tokens": json["num_input_tokens"],
        "completion_tokens": typeof tokens === "number" ? outputTokens : undefined,
      });
    },
    judge: (ending) => judgeEnding(ending, ending.isComplete, "its end"),
  };
}

function tritonWriter(): ReplyWriter {
  return {
    writesReasoning: false,
    asked: ({ stream }, isStreamingPath) => ({
      model: undefined,
      streaming: isStreamingPath || stream === true,
      includeUsage: false,
      usageInChunks: false,
    }),
    stream: {
      contentType: "text/event-stream",
      endsWithBody: true,
      frames: (reply) => ({
        opening: [],
        content: reply.pieces.map(({ text, tokens }) => eventFrame(fieldsOf(reply, text, tokens))),
        closing: [],
      }),
      failure: (message) => [eventFrame({ "error": message })],
      malformed: "data: {broken\n\n",
    },
    whole: (reply) => ({
      contentType: "application/json",
      body: JSON.stringify(fieldsOf(reply, textOf(reply.pieces), tokensOf(reply.pieces))),
    }),
  };
}

function fieldsOf(reply: ScriptedReply, text: string, tokens: number): Record<string, unknown> {
  return {
    "model_name": reply.model,
    "model_version": "1",
    "num_input_tokens": reply.promptTokens,
    "num_output_tokens": tokens,
    "text_output": text,
  };
}
