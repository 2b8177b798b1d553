import type { ConversationFormat, Message } from "./conversation_format.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** What comes before the first item of a body. */
const OPENING = '{"input":[';

/** Conversations of OpenAI's Responses, whose turns are sent again and not kept by the server. */
export const RESPONSES_CONVERSATION: ConversationFormat = {
  userMessage({ texts, images }) {
    const isPlain = texts.length === 1 && images.length === 0;
    const parts = [
      ...texts.map((text) => ({ "type": "input_text", "text": text })),
      ...images.map((url) => ({ "type": "input_image", "image_url": url })),
    ];
    return { "role": "user", "content": isPlain ? texts[0] : parts, "type": "message" };
  },

  systemMessage: (text) => ({ "role": "system", "content": text, "type": "message" }),

  buildBody: (messages, turn, settings) => ({
    "input": messages,
    "model": settings.model,
    "stream": settings.streaming,
    ...(turn.outputTokens === undefined ? {} : { "max_output_tokens": turn.outputTokens }),
    ...settings.extraInputs,
    ...turn.extra,
  }),

  messagesSpan(fields) {
    const [first] = Object.keys(fields);
    const items = fields["input"];
    if (first !== "input" || !Array.isArray(items) || items.length === 0) return undefined;
    const start = OPENING.length;
    return { start, end: start + encoder.encode(JSON.stringify(items)).length - 2 };
  },

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
