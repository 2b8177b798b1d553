import { stringOf } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { finishBody, openAiOutputLimits } from "./openai_body.ts";
import { openAiReplies } from "./openai_replies.ts";
import { choicesOf } from "./read_choices.ts";
import { openAiWriter } from "./openai_writer.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** OpenAI's text completions. */
export const completions: EndpointType = {
  ...TEXT_API,
  name: "completions",
  summary: "OpenAI text completions",
  path: "/v1/completions",
  usesChatTemplate: false,
  media: [],
  asksForUsage: true,

  buildBody(content, settings) {
    const body: Record<string, unknown> = {
      "prompt": content.texts.length === 1 ? content.texts[0] : content.texts,
      "model": settings.model,
      "stream": settings.streaming,
    };
    if (content.outputTokens !== undefined) body["max_tokens"] = content.outputTokens;
    return finishBody(body, content, settings);
  },

  inputTexts(body) {
    const prompt = body["prompt"];
    if (typeof prompt === "string") return [prompt];
    return Array.isArray(prompt) ? prompt.filter((text) => typeof text === "string") : [];
  },

  countImages: () => 0,
  outputLimits: openAiOutputLimits,
  askedChoices: ({ prompt, n }) => promptCount(prompt) * choicesOf(n),

  replies: openAiReplies((choice, delta) => {
    delta.text += stringOf(choice["text"]);
  }),

  writer: openAiWriter({
    idPrefix: "cmpl",
    chunkObject: "text_completion",
    wholeObject: "text_completion",
    writesReasoning: false,
    opening: undefined,
    empty: `"text":""`,
    piece: ({ text }) => `"text":${JSON.stringify(text)}`,
    whole: (text) => `"text":${JSON.stringify(text)}`,
  }),
};

/** Prompts of a body: a text or its tokens are one, a list of such are several. */
export function promptCount(prompt: unknown): number {
  if (!Array.isArray(prompt)) return 1;
  return typeof prompt[0] === "number" ? 1 : Math.max(1, prompt.length);
}
