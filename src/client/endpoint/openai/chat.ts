import { bodyPieces, inputOf } from "../protocol/body_pieces.ts";
import { countParts } from "../protocol/body_texts.ts";
import { CHAT_CONVERSATION } from "./chat_conversation.ts";
import { isFields } from "../protocol/delta.ts";
import type { EndpointType } from "../protocol/endpoint_type.ts";
import { readOllamaLine } from "../ollama/ollama_line.ts";
import { openAiOutputLimits } from "./openai_body.ts";
import { readMessage } from "../protocol/openai_message.ts";
import { openAiReplies } from "./openai_replies.ts";
import { openAiWriter } from "./openai_writer.ts";
import { choicesOf } from "./read_choices.ts";
import { TEXT_API } from "../protocol/text_api.ts";

/** OpenAI's chat completions. Also reads the lines of Ollama's own API. */
export const chat: EndpointType = {
  ...TEXT_API,
  name: "chat",
  summary: "OpenAI chat completions",
  path: "/v1/chat/completions",
  usesChatTemplate: true,
  media: ["image", "audio"],
  conversation: CHAT_CONVERSATION,
  asksForUsage: true,

  buildBody(content, settings) {
    const message = CHAT_CONVERSATION.userMessage(content);
    return CHAT_CONVERSATION.buildBody([message], content, settings);
  },

  ...inputOf(({ tools, messages }) => bodyPieces(tools, messages)),
  countImages: ({ messages }) => countParts(messages, "image_url"),
  outputLimits: openAiOutputLimits,
  askedChoices: ({ n }) => choicesOf(n),

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
    writesCalls: true,
    opening: `"delta":{"role":"assistant","content":""}`,
    empty: `"delta":{}`,
    piece: ({ text, isReasoning }) =>
      `"delta":{"${isReasoning ? "reasoning_content" : "content"}":${JSON.stringify(text)}}`,
    whole(text, reasoning, calls) {
      const toolCalls = calls.map(({ id, name, argumentsText }) => ({
        "id": id,
        "type": "function",
        "function": { "name": name, "arguments": argumentsText },
      }));
      const message = {
        "role": "assistant",
        "content": text === "" && calls.length > 0 ? null : text,
        ...(reasoning === "" ? {} : { "reasoning_content": reasoning }),
        ...(calls.length === 0 ? {} : { "tool_calls": toolCalls }),
      };
      return `"message":${JSON.stringify(message)}`;
    },
  }),
};
