import { JSON_BODY } from "./body_format.ts";
import { CHAT_CONVERSATION } from "./chat_conversation.ts";
import { isFields } from "./delta.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { readOllamaLine } from "./ollama_line.ts";
import { openAiOutputLimits } from "./openai_body.ts";
import { readMessage } from "./openai_message.ts";
import { openAiReplies } from "./openai_replies.ts";
import { openAiWriter } from "./openai_writer.ts";

/** OpenAI's chat completions. Also reads the lines of Ollama's own API. */
export const chat: EndpointType = {
  name: "chat",
  summary: "OpenAI chat completions",
  method: "POST",
  path: "/v1/chat/completions",
  producesTokens: true,
  tokenizesInput: true,
  usesChatTemplate: true,
  supportsImages: true,
  body: JSON_BODY,
  conversation: CHAT_CONVERSATION,
  asksForUsage: true,

  buildBody(content, settings) {
    const message = CHAT_CONVERSATION.userMessage(content);
    return CHAT_CONVERSATION.buildBody([message], content, settings);
  },

  inputTexts(body) {
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

  countImages(body) {
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

  outputLimits: openAiOutputLimits,

  replies: openAiReplies(
    (choice, delta) => {
      const message = choice["delta"] ?? choice["message"];
      if (isFields(message)) readMessage(message, delta);
    },
    (json, delta) => {
      if (typeof json["done"] === "boolean") readOllamaLine(json, delta);
    },
  ),

  writer: openAiWriter({
    idPrefix: "chatcmpl",
    chunkObject: "chat.completion.chunk",
    wholeObject: "chat.completion",
    writesReasoning: true,
    opening: `"delta":{"role":"assistant","content":""}`,
    empty: `"delta":{}`,
    piece: ({ text, isReasoning }) =>
      `"delta":{"${isReasoning ? "reasoning_content" : "content"}":${JSON.stringify(text)}}`,
    whole(text, reasoning) {
      const thoughts = reasoning === "" ? "" : `,"reasoning_content":${JSON.stringify(reasoning)}`;
      return `"message":{"role":"assistant","content":${JSON.stringify(text)}${thoughts}}`;
    },
  }),
};
