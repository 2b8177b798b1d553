import { type Delta, firstChoice, readCommonFields, readFinish, stringOf } from "./delta.ts";
import {
  type BodySettings,
  type EndpointType,
  finishBody,
  type PromptContent,
} from "./endpoint_type.ts";

/** OpenAI's text completions. */
export const completions: EndpointType = {
  name: "completions",
  path: "/v1/completions",
  supportsStreaming: true,
  producesTokens: true,
  tokenizesInput: true,
  supportsImages: false,

  buildBody(content: PromptContent, settings: BodySettings): Record<string, unknown> {
    const body: Record<string, unknown> = {
      "prompt": content.texts.length === 1 ? content.texts[0] : content.texts,
      "model": settings.model,
      "stream": settings.streaming,
    };
    if (content.outputTokens !== undefined) body["max_tokens"] = content.outputTokens;
    return finishBody(body, content, settings);
  },

  inputTexts(body): string[] {
    const prompt = body["prompt"];
    if (typeof prompt === "string") return [prompt];
    return Array.isArray(prompt) ? prompt.filter((text) => typeof text === "string") : [];
  },

  countImages: () => 0,

  readDelta(json: Record<string, unknown>, delta: Delta): void {
    readCommonFields(json, delta);
    const choice = firstChoice(json);
    if (choice === undefined) return;
    delta.text = stringOf(choice["text"]);
    readFinish(choice, delta);
  },
};
