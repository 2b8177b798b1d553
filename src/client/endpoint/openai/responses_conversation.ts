import { audioPart } from "../protocol/media_data.ts";
import type { ConversationFormat, Message } from "../protocol/conversation_format.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Conversations of OpenAI's Responses; each request contains all earlier turns, and the server
 * stores none.
 */
export const RESPONSES_CONVERSATION: ConversationFormat = {
  messagesField: "input",

  userMessage({ texts, images, audios = [] }) {
    const isPlain = texts.length === 1 && images.length + audios.length === 0;
    const parts = [
      ...texts.map((text) => ({ "type": "input_text", "text": text })),
      ...images.map((url) => ({ "type": "input_image", "image_url": url })),
      ...audios.map(audioPart),
    ];
    return { "role": "user", "content": isPlain ? texts[0] : parts, "type": "message" };
  },

  systemMessage: (text) => ({ "role": "system", "content": text, "type": "message" }),

  toolMessage: ({ id, text }) => ({
    "type": "function_call_output",
    ...(id === undefined ? {} : { "call_id": id }),
    "output": text,
  }),

  buildBody: (messages, turn, settings) => ({
    "input": messages,
    "model": settings.model,
    "stream": settings.streaming,
    ...(turn.outputTokens === undefined ? {} : { "max_output_tokens": turn.outputTokens }),
    ...settings.extraInputs,
    ...turn.extra,
  }),

  replyMessage({ text, toolCalls }) {
    const content = decoder.decode(text.view);
    const message: Message = { "role": "assistant", "content": content, "type": "message" };
    const calls = toolCalls.map(({ id, name, argumentsText }): Message => ({
      "type": "function_call",
      "call_id": id,
      "name": name,
      "arguments": argumentsText,
    }));
    const items = content === "" && calls.length > 0 ? calls : [message, ...calls];
    return encoder.encode(items.map((item) => JSON.stringify(item)).join(","));
  },
};
