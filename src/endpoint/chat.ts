import {
  contentOf,
  type Delta,
  firstChoice,
  isFields,
  readCommonFields,
  readFinish,
  stringOf,
} from "./delta.ts";
import {
  type BodySettings,
  type EndpointType,
  finishBody,
  type PromptContent,
} from "./endpoint_type.ts";

/** OpenAI's chat completions. Also reads the lines of Ollama's native `/api/chat`. */
export const chat: EndpointType = {
  name: "chat",
  path: "/v1/chat/completions",
  supportsStreaming: true,
  producesTokens: true,
  tokenizesInput: true,
  supportsImages: true,

  buildBody(content: PromptContent, settings: BodySettings): Record<string, unknown> {
    const plain = content.texts.length === 1 && content.images.length === 0;
    const parts = [
      ...content.texts.map((text) => ({ "type": "text", "text": text })),
      ...content.images.map((url) => ({ "type": "image_url", "image_url": { "url": url } })),
    ];
    const body: Record<string, unknown> = {
      "messages": [{ "role": "user", "content": plain ? content.texts[0] : parts }],
      "model": settings.model,
      "stream": settings.streaming,
    };
    if (content.outputTokens !== undefined) {
      body[settings.legacyMaxTokens ? "max_tokens" : "max_completion_tokens"] =
        content.outputTokens;
    }
    return finishBody(body, content, settings);
  },

  inputTexts(body): string[] {
    const texts: string[] = [];
    const messages = body["messages"];
    for (const message of Array.isArray(messages) ? messages : []) {
      if (!isFields(message)) continue;
      const content = message["content"];
      if (typeof content === "string") texts.push(content);
      for (const part of Array.isArray(content) ? content : []) {
        if (isFields(part) && typeof part["text"] === "string") texts.push(part["text"]);
      }
    }
    return texts;
  },

  countImages(body): number {
    let images = 0;
    const messages = body["messages"];
    for (const message of Array.isArray(messages) ? messages : []) {
      const content = isFields(message) ? message["content"] : undefined;
      for (const part of Array.isArray(content) ? content : []) {
        if (isFields(part) && part["type"] === "image_url") images++;
      }
    }
    return images;
  },

  readDelta(json: Record<string, unknown>, delta: Delta): void {
    readCommonFields(json, delta);
    const choice = firstChoice(json);
    if (choice === undefined) {
      if (json["choices"] === undefined && typeof json["done"] === "boolean") {
        readOllamaLine(json, delta);
      }
      return;
    }
    const message = choice["delta"] ?? choice["message"];
    if (isFields(message)) readMessage(message, delta);
    readFinish(choice, delta);
  },
};

function readMessage(message: Record<string, unknown>, delta: Delta): void {
  const { content } = message;
  if (content !== undefined && content !== null) contentOf(content, delta);
  const reasoning = message["reasoning_content"] ?? message["reasoning"];
  if (reasoning !== undefined && reasoning !== null) delta.reasoning += stringOf(reasoning);
  if (message["refusal"] !== undefined) delta.text += stringOf(message["refusal"]);
  const calls = message["tool_calls"];
  if (Array.isArray(calls)) {
    for (const call of calls) if (isFields(call)) readFunction(call["function"], delta);
  }
  if (message["function_call"] !== undefined) readFunction(message["function_call"], delta);
}

function readFunction(call: unknown, delta: Delta): void {
  if (!isFields(call)) return;
  delta.toolText += stringOf(call["name"]) + stringOf(call["arguments"]);
}

function readOllamaLine(json: Record<string, unknown>, delta: Delta): void {
  const message = json["message"];
  if (isFields(message)) {
    readMessage(message, delta);
    delta.reasoning += stringOf(message["thinking"]);
  }
  delta.text += stringOf(json["response"]);
  if (json["done"] !== true) return;
  delta.finishReason = stringOf(json["done_reason"]) || "stop";
  const prompt = json["prompt_eval_count"];
  const output = json["eval_count"];
  if (typeof prompt === "number" || typeof output === "number") {
    delta.usage = {
      promptTokens: typeof prompt === "number" ? prompt : undefined,
      cachedTokens: undefined,
      completionTokens: typeof output === "number" ? output : undefined,
      totalTokens: undefined,
      reasoningTokens: undefined,
    };
  }
}
