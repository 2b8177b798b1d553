import { contentTexts } from "../protocol/body_texts.ts";
import { argumentsObject, type ConversationFormat } from "../protocol/conversation_format.ts";
import { mediaData } from "../protocol/media_data.ts";

/** The API demands a limit; AIPerf sends this one where a run has none. */
const DEFAULT_MAX_TOKENS = 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Conversations of Anthropic's Messages, whose system message is none of the messages. */
export const MESSAGES_CONVERSATION: ConversationFormat = {
  messagesField: "messages",
  systemField: "system",

  userMessage({ texts, images }) {
    const isPlain = texts.length === 1 && images.length === 0;
    const parts = [
      ...texts.map((text) => ({ "type": "text", "text": text })),
      ...images.map((url) => ({ "type": "image", "source": imageSource(url) })),
    ];
    return { "role": "user", "content": isPlain ? texts[0] : parts };
  },

  systemMessage: (text) => ({ "role": "system", "content": text }),

  toolMessage: ({ id, text }) => ({
    "role": "user",
    "content": [{
      "type": "tool_result",
      ...(id === undefined ? {} : { "tool_use_id": id }),
      "content": text,
    }],
  }),

  buildBody(messages, turn, settings) {
    const systems = messages.filter(({ role }) => role === "system");
    const others = messages.filter(({ role }) => role !== "system");
    // What a user sets himself must not come twice.
    const {
      system = systems.length === 0
        ? undefined
        : systems.flatMap(({ content }) => contentTexts(content)).join("\n\n"),
      ...extra
    } = { ...settings.extraInputs, ...turn.extra };
    return {
      ...(system === undefined ? {} : { "system": system }),
      "messages": others,
      "model": settings.model,
      "max_tokens": turn.outputTokens ?? DEFAULT_MAX_TOKENS,
      ...(settings.streaming ? { "stream": true } : {}),
      ...extra,
    };
  },

  replyMessage({ text, toolCalls }) {
    const answer = decoder.decode(text.view);
    const blocks = [
      ...(answer === "" ? [] : [{ "type": "text", "text": answer }]),
      ...toolCalls.map(({ id, name, argumentsText }) => ({
        "type": "tool_use",
        "id": id,
        "name": name,
        "input": argumentsObject(argumentsText),
      })),
    ];
    const content = toolCalls.length === 0 ? answer : blocks;
    return encoder.encode(JSON.stringify({ "role": "assistant", "content": content }));
  },
};

/** The source of an image: its bytes if the URL has them, else the URL. */
function imageSource(url: string): Record<string, unknown> {
  const data = mediaData(url);
  if (data === undefined) return { "type": "url", "url": url };
  return { "type": "base64", "media_type": data.type || "image/png", "data": data.base64 };
}
