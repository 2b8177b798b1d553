import * as z from "npm:zod@4.6.7";
import type { ConversationTurn } from "../conversations/conversation.ts";
import { outputLength } from "../synthetic/output_length.ts";
import { fits, type InputFormat, lacks } from "./input_format.ts";
import { rowRecords } from "./row_records.ts";

const USERS = new Set(["human", "user"]);
const MODELS = new Set(["gpt", "chatgpt", "assistant", "model", "bing", "bard"]);

const message = z.union([
  z.looseObject({ from: z.string(), value: z.string() }),
  z.looseObject({ role: z.string(), content: z.string() }),
], "Must have from and value, or role and content, all of them texts");
const shareGptRow = z.looseObject({
  id: z.union([z.string(), z.number()], "Must be a text or a number").optional(),
  conversations: z.array(message),
});

/**
 * Conversations of people with a model. What people said is sent, with the live replies between;
 * what the model said then gives the length that is asked for. No conversation is left out for its
 * length.
 */
export const shareGpt: InputFormat = {
  name: "sharegpt",
  description: "conversations of people with a model, as an array or JSON lines",
  paging: "always",

  recognise({ layout, record = {} }) {
    return (layout === "json array" || layout === "json lines") &&
        Array.isArray(record["conversations"])
      ? fits('its first record has a list of "conversations"')
      : lacks("an array of objects with conversations");
  },

  async *read(source, context) {
    const { tokenizer, dataset, seed } = context;
    let mute = 0;
    let index = 0;
    for await (const records of rowRecords(source)) {
      for (const record of records) {
        const { id, conversations } = record.parsed(shareGptRow);
        const said = conversations.map((one) =>
          "from" in one && typeof one.from === "string"
            ? { who: one.from, text: String(one["value"]) }
            : { who: String(one["role"]), text: String(one["content"]) }
        );
        const system = said.find(({ who }) => who === "system")?.text;
        const turns: ConversationTurn[] = [];
        said.forEach(({ who, text }, i) => {
          if (!USERS.has(who) || text === "") return;
          const reply = said[i + 1];
          const replied = reply !== undefined && MODELS.has(reply.who) && reply.text !== ""
            ? tokenizer?.count(reply.text)
            : undefined;
          const content = {
            texts: [text],
            images: [],
            outputTokens: replied ?? outputLength(dataset, seed, index++),
            extra: {},
          };
          turns.push({
            request: {
              kind: "content",
              content,
              ...(turns.length > 0 || system === undefined ? {} : { system }),
            },
            delayMs: 0,
            timestampMs: undefined,
            followsHistory: true,
          });
        });
        if (turns.length === 0) mute++;
        else yield { id: id === undefined ? undefined : String(id), turns };
      }
    }
    if (mute > 0) {
      context.warn(`${source.path}: conversations without a user message, left out: ${mute}`);
    }
  },
};
