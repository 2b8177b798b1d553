import type { BodyFields } from "../protocol/body_format.ts";
import type { ConversationFormat, Message } from "../protocol/conversation_format.ts";
import { audioPart } from "../protocol/media_data.ts";
import { finishBody } from "./openai_body.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Conversations of OpenAI's chat completions. */
export const CHAT_CONVERSATION: ConversationFormat = {
  messagesField: "messages",

  userMessage({ texts, images, audios = [], videos = [] }) {
    const plain = texts.length === 1 && images.length + audios.length + videos.length === 0;
    const parts = [
      ...texts.map((text) => ({ "type": "text", "text": text })),
      ...images.map((url) => ({ "type": "image_url", "image_url": { "url": url } })),
      ...audios.map(audioPart),
      // As vLLM and SGLang take it.
      ...videos.map((url) => ({ "type": "video_url", "video_url": { "url": url } })),
    ];
    return { "role": "user", "content": plain ? texts[0] : parts };
  },

  systemMessage: (text) => ({ "role": "system", "content": text }),

  toolMessage: ({ id, text }) => ({
    "role": "tool",
    ...(id === undefined ? {} : { "tool_call_id": id }),
    "content": text,
  }),

  buildBody(messages, turn, settings) {
    const body: BodyFields = {
      "messages": messages,
      "model": settings.model,
      "stream": settings.streaming,
    };
    if (turn.outputTokens !== undefined) {
      body[settings.legacyMaxTokens ? "max_tokens" : "max_completion_tokens"] = turn.outputTokens;
    }
    return finishBody(body, turn, settings);
  },

  replyMessage({ text, toolCalls }) {
    const content = decoder.decode(text.view);
    const message: Message = toolCalls.length === 0
      ? { "role": "assistant", "content": content }
      : {
        "role": "assistant",
        "content": content === "" ? null : content,
        "tool_calls": toolCalls.map(({ id, name, argumentsText }) => ({
          "id": id,
          "type": "function",
          "function": { "name": name, "arguments": argumentsText },
        })),
      };
    return encoder.encode(JSON.stringify(message));
  },
};
