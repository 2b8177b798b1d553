import * as z from "npm:zod@4.6.7";
import { deniesStreaming } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { ConversationTurn } from "../conversations/conversation.ts";
import { recordedToolCalls } from "../conversations/recorded_tool_calls.ts";
import { outputLength } from "../synthetic/output_length.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { LENGTH_FIELDS } from "./length_fields.ts";
import { OTHER_FIELDS } from "./raw_payload.ts";
import { rowRecords } from "./row_records.ts";
import { REQUIREMENT_FIELDS, requirementsOf } from "./requirement_fields.ts";

type Message = Readonly<Record<string, unknown>>;

const limit = z.int().positive().optional();

const messageRow = z.looseObject({
  messages: z.array(z.record(z.string(), z.unknown())).min(1),
  id: z.union([z.string(), z.number()], "Must be a text or a number").optional(),
  ...REQUIREMENT_FIELDS,
  expected: z.unknown().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  ...Object.fromEntries(LENGTH_FIELDS.map((name) => [name, limit])) as Record<
    typeof LENGTH_FIELDS[number],
    typeof limit
  >,
});

/**
 * Conversations as lists of messages, in the layout of chat logs and of fine-tuning files. Messages
 * of users are sent, with live replies in place of recorded ones. A conversation with calls of tools
 * is one request with its recorded history, because live replies make other calls.
 */
export const messageRows: InputFormat = {
  name: "messages",
  description: "conversations as lists of messages, as JSON lines or an array",
  paging: "always",

  recognise({ layout, record = {} }) {
    const other = [...OTHER_FIELDS, "model", "stream"].find((name) => name in record);
    const isRows = layout === "json lines" || layout === "json array";
    return isRows && Array.isArray(record["messages"]) && other === undefined
      ? fits('its first record has "messages", and neither "model" nor "stream"')
      : lacks("rows with messages, and neither model nor stream");
  },

  async *read(source, context) {
    let mute = 0;
    const maker = new MessageTurns(context);
    for await (const records of rowRecords(source)) {
      for (const record of records) {
        const row = record.parsed(messageRow);
        const { id, messages } = row;
        messages.forEach(({ role }, index) => {
          if (typeof role !== "string") {
            throw record.error("Must be a text", ["messages", index, "role"]);
          }
        });
        const extra = { ...requirementsOf(row), ...row.extra };
        if (context.streaming && deniesStreaming(extra)) {
          throw record.error("stream must be true with --streaming", ["extra", "stream"]);
        }
        const length = LENGTH_FIELDS.map((name) => row[name]).find((value) => value !== undefined);
        const turns = maker.turnsOf(messages, extra, length);
        const expected = row.expected === undefined ? undefined : context.expectedOf(record, []);
        const last = turns.at(-1);
        if (last === undefined) mute++;
        else {
          yield {
            id: id === undefined ? undefined : String(id),
            turns: expected === undefined ? turns : [...turns.slice(0, -1), { ...last, expected }],
          };
        }
      }
    }
    if (mute > 0) {
      context.warn(`${source.path}: conversations without a message of a user, left out: ${mute}`);
    }
  },
};

/** Makes the turns of conversations. */
class MessageTurns {
  readonly #context: FormatContext;
  #count = 0;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  /**
   * The turns of a conversation; none if no user speaks.
   * @param length tokens that each reply may have; undefined if the row states none
   */
  turnsOf(
    messages: readonly Message[],
    extra: Readonly<Record<string, unknown>>,
    length: number | undefined,
  ): ConversationTurn[] {
    const end = messages.findLastIndex(isAsking) + 1;
    if (messages.some(usesTools)) {
      const asked = messages.slice(0, end);
      const reply = messages[end];
      return end === 0 ? [] : [this.#turn(asked, { reply, extra, length, isWhole: true })];
    }
    const turns: ConversationTurn[] = [];
    let pending: Message[] = [];
    messages.slice(0, end).forEach((message, index) => {
      const isReply = message["role"] === "assistant";
      // A greeting of the assistant belongs to the first turn.
      if (!isReply || turns.length === 0) pending.push(message);
      const reply = messages[index + 1];
      if (!isAsking(message) || (reply?.["role"] !== "assistant" && index + 1 < end)) return;
      turns.push(this.#turn(pending, { reply, extra, length, isWhole: false }));
      pending = [];
    });
    return turns;
  }

  #turn(
    messages: readonly Message[],
    { reply, extra, length, isWhole }: {
      readonly reply: Message | undefined;
      readonly extra: Readonly<Record<string, unknown>>;
      readonly length: number | undefined;
      /** Whether the messages include the whole history. */
      readonly isWhole: boolean;
    },
  ): ConversationTurn {
    const { checksAnswers, dataset, seed, tokenizer, type } = this.#context;
    const recorded = textsIn(reply?.["content"])?.join("") ?? "";
    const outputTokens = length ?? outputLength(dataset, seed, this.#count++) ??
      (recorded === "" ? undefined : tokenizer?.count(recorded));
    const isPlain = (message: Message): boolean =>
      type.conversation === undefined || Object.keys(message).length === 2;
    const asked = messages.at(-1) as Message;
    const system = messages.length === 2 && messages[0]?.["role"] === "system"
      ? textsIn(messages[0]["content"])?.join("")
      : undefined;
    const texts = textsIn(asked["content"]);
    const expected = checksAnswers && reply !== undefined ? recordedToolCalls([reply]) : undefined;
    const times = {
      ...{ delayMs: 0, timestampMs: undefined, followsHistory: !isWhole },
      ...(expected === undefined ? {} : { expected }),
    };
    if (
      texts !== undefined && asked["role"] === "user" && messages.every(isPlain) &&
      messages.length === (system === undefined ? 1 : 2)
    ) {
      const content = { texts, images: [], outputTokens, extra };
      return {
        request: { kind: "content", content, ...(system === undefined ? {} : { system }) },
        ...times,
      };
    }
    return { request: { kind: "messages", messages, outputTokens, extra }, ...times };
  }
}

/** Whether a message is one that the model answers. */
function isAsking({ role }: Message): boolean {
  return role === "user" || role === "tool" || role === "function";
}

function usesTools(message: Message): boolean {
  const { role, tool_calls: calls, function_call: call } = message;
  return role === "tool" || role === "function" || (Array.isArray(calls) && calls.length > 0) ||
    (call !== undefined && call !== null);
}

/** The texts of a content; undefined if it has anything else. */
function textsIn(content: unknown): string[] | undefined {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const texts = content.map((part) => part?.type === "text" ? part.text : undefined);
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}
