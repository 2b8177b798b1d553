import { JSON_BODY } from "./body_format.ts";
import { isFields } from "./delta.ts";
import { messageTexts } from "./body_texts.ts";
import type { EndpointType } from "./endpoint_type.ts";
import { OLLAMA_CONVERSATION } from "./ollama_conversation.ts";
import { OLLAMA_REPLIES, ollamaOutputLimits, ollamaWriter } from "./ollama_protocol.ts";

/** Ollama's own chat. */
export const ollama: EndpointType = {
  name: "ollama",
  aliases: ["ollama-chat"],
  summary: "Ollama, its own chat",
  method: "POST",
  path: "/api/chat",
  producesTokens: true,
  tokenizesInput: true,
  usesChatTemplate: true,
  supportsImages: true,
  body: JSON_BODY,
  conversation: OLLAMA_CONVERSATION,

  buildBody(content, settings) {
    const message = OLLAMA_CONVERSATION.userMessage(content);
    return OLLAMA_CONVERSATION.buildBody([message], content, settings);
  },

  inputTexts: ({ messages }) => messageTexts(messages),
  countImages({ messages }) {
    if (!Array.isArray(messages)) return 0;
    return messages.reduce(
      (sum: number, message) =>
        isFields(message) && Array.isArray(message["images"])
          ? sum + message["images"].length
          : sum,
      0,
    );
  },
  outputLimits: ollamaOutputLimits,
  replies: OLLAMA_REPLIES,
  writer: ollamaWriter((text, thinking) => ({
    "message": {
      "role": "assistant",
      "content": text,
      ...(thinking === "" ? {} : { "thinking": thinking }),
    },
  })),
};
