import {
  argumentsObject,
  type ConversationFormat,
  type Message,
} from "../protocol/conversation_format.ts";
import { finishOllamaBody, ollamaImages } from "./ollama_protocol.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Conversations of Ollama's own chat. */
export const OLLAMA_CONVERSATION: ConversationFormat = {
  messagesField: "messages",

  userMessage: (content) => ({
    "role": "user",
    "content": content.texts.join(" "),
    ...ollamaImages(content),
  }),

  systemMessage: (text) => ({ "role": "system", "content": text }),

  toolMessage: ({ text }) => ({ "role": "tool", "content": text }),

  buildBody: (messages, turn, settings) =>
    finishOllamaBody({ "messages": messages, "model": settings.model }, turn, settings),

  replyMessage({ text, toolCalls }) {
    const message: Message = {
      "role": "assistant",
      "content": decoder.decode(text.view),
      ...(toolCalls.length === 0 ? {} : {
        "tool_calls": toolCalls.map(({ id, name, argumentsText }) => ({
          ...(id === "" ? {} : { "id": id }),
          "function": { "name": name, "arguments": argumentsObject(argumentsText) },
        })),
      }),
    };
    return encoder.encode(JSON.stringify(message));
  },
};
