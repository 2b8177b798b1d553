import * as z from "npm:zod@4.6.7";
import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import type { SessionFormat, SessionSettings } from "../model/session_format.ts";

/** Output tokens of a turn that states none. */
const OUTPUT_TOKENS = 64;

const texts = z.array(z.union([z.string(), z.looseObject({ contents: z.array(z.string()) })]));

const multiTurnRow = z.looseObject({
  session_id: z.string().optional(),
  turns: z.array(z.looseObject({
    role: z.string().optional(),
    text: z.string().optional(),
    texts: texts.optional(),
    tools: z.array(z.unknown()).optional(),
    tool_results: z.array(z.looseObject({
      tool_call_id: z.unknown().optional(),
      content: z.unknown().optional(),
    })).optional(),
    output_length: z.int().positive().optional(),
    delay: z.number().nonnegative().optional(),
  })).min(1),
});

type Turn = z.infer<typeof multiTurnRow>["turns"][number];

/** Conversations as sessions: live replies are between the turns. */
export const multiTurnSessions: SessionFormat = {
  name: "multi-turn",
  description: "JSON lines with a conversation each",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names }) {
    return names.has("turns") ? '"turns"' : undefined;
  },

  read(source, settings) {
    return {
      async *sessions() {
        let number = 0;
        for await (const records of inputLines(source)) {
          for (const record of records) {
            const { session_id: given, turns } = record.parsed(multiTurnRow);
            const id = given ?? `session_${String(number).padStart(6, "0")}`;
            number++;
            const calls = callsOf(id, turns, record, settings);
            if (calls.length > 0) yield finishedSession(source.path, id, calls);
          }
        }
      },
      blockSize: () => settings.blockSize,
    };
  },
};

function callsOf(
  id: string,
  turns: readonly Turn[],
  record: InputRecord,
  { outputTokens = OUTPUT_TOKENS }: SessionSettings,
): CallDraft[] {
  const calls: CallDraft[] = [];
  let history: PromptPart[] = [];
  let tools: readonly unknown[] | undefined;
  turns.forEach((turn, place) => {
    const messages = messagesOf(turn);
    if (messages.length === 0) throw record.error("Has no text", ["turns", place]);
    const own = messages.map((message): PromptPart => ({ kind: "message", message }));
    if (place === 0 && messages[0]?.["role"] === "system") {
      history = own;
      return;
    }
    tools = turn.tools ?? tools;
    const call = new CallDraft(`${id}#${calls.length}`);
    const parts = [...history, ...own];
    call.prompt = { kind: "texts", tools, parts, isJoined: true };
    call.outputTokens = turn.output_length ?? outputTokens;
    const before = calls.at(-1);
    if (before !== undefined) {
      call.after(before, "sequence", turn.delay ?? 0);
      call.gapClass = messages.some(({ role }) => role === "tool") ? "tool" : "user";
    }
    history = [...parts, unknownReply(call.id, call.outputTokens)];
    calls.push(call);
  });
  return calls;
}

function messagesOf(
  { tool_results: results = [], role = "user", text, texts = [] }: Turn,
): Message[] {
  const all = [
    ...(text === undefined ? [] : [text]),
    ...texts.flatMap((one) => typeof one === "string" ? [one] : one.contents),
  ];
  return [
    ...results.map(({ tool_call_id: id, content }): Message => ({
      "role": "tool",
      "tool_call_id": id,
      "content": content,
    })),
    ...(all.length === 0 ? [] : [{ "role": role, "content": all.join(" ") }]),
  ];
}
