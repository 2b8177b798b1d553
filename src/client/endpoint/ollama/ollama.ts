import { bodyPieces, inputOf } from "../protocol/body_pieces.ts";
import { isFields } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { OLLAMA_CONVERSATION } from "./ollama_conversation.ts";
import { OLLAMA_API, ollamaWriter } from "./ollama_protocol.ts";

/** Ollama's own chat. */
export const ollama: EndpointType = {
  ...OLLAMA_API,
  name: "ollama",
  aliases: ["ollama-chat"],
  summary: "Ollama, its own chat",
  path: "/api/chat",
  conversation: OLLAMA_CONVERSATION,

  buildBody(content, settings) {
    const message = OLLAMA_CONVERSATION.userMessage(content);
    return OLLAMA_CONVERSATION.buildBody([message], content, settings);
  },

  ...inputOf(({ tools, messages }) => bodyPieces(tools, messages)),
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
  writer: ollamaWriter((text, thinking, calls) => ({
    "message": {
      "role": "assistant",
      "content": text,
      ...(thinking === "" ? {} : { "thinking": thinking }),
      ...(calls.length === 0 ? {} : {
        "tool_calls": calls.map(({ name, argumentsText }) => ({
          "function": { "name": name, "arguments": JSON.parse(argumentsText) },
        })),
      }),
    },
  }), { writesCalls: "whole" }),
};
