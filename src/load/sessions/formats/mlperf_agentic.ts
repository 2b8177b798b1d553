import * as z from "npm:zod@4.6.7";
import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import type { InputRecord } from "../../dataset/formats/input_record.ts";
import { type AgentSession, type PromptPart, unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import type { SessionFormat, SessionSettings } from "../model/session_format.ts";

const row = z.looseObject({
  conversation_id: z.union([z.string(), z.number()]),
  turn: z.number(),
  role: z.enum(["user", "assistant", "tool", "system"]),
  content: z.unknown().optional(),
  system: z.string().optional(),
  model: z.string().optional(),
  tools: z.array(z.unknown()).optional(),
  tool_calls: z.array(z.unknown()).optional(),
  tool_results: z.array(z.looseObject({
    tool_call_id: z.unknown().optional(),
    content: z.unknown().optional(),
  })).optional(),
  reasoning_content: z.string().optional(),
  delay_seconds: z.number().nonnegative().optional(),
});

type Row = z.infer<typeof row>;

/** Output tokens of a call whose reply is not recorded. */
const OUTPUT_TOKENS = 64;

/** Rows of MLPerf's agentic scenario: messages, one a line. */
export const mlperfAgentic: SessionFormat = {
  name: "mlperf-agentic",
  description: "MLPerf's rows of messages with their conversation and turn",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names, values }) {
    if (values["_type"] === "dataset_metadata") return '"_type" dataset_metadata';
    const isRow = names.has("conversation_id") && names.has("turn");
    return isRow ? '"conversation_id" and "turn"' : undefined;
  },

  read(source, settings) {
    return {
      async *sessions() {
        let current: MlperfSession | undefined;
        const seen = new Set<string>();
        for await (const records of inputLines(source)) {
          for (const record of records) {
            if ((record.json as Row | null)?.["_type"] === "dataset_metadata") continue;
            const fields = record.parsed(row);
            const id = String(fields.conversation_id);
            if (current?.id !== id) {
              if (seen.has(id)) {
                throw record.error("Rows of a conversation must follow each other", [
                  "conversation_id",
                ]);
              }
              seen.add(id);
              if (current?.hasCalls) yield current.finish(source.path);
              current = new MlperfSession(id, settings);
            }
            current.add(fields, record);
          }
        }
        if (current?.hasCalls) yield current.finish(source.path);
      },
      blockSize: () => settings.blockSize,
    };
  },
};

class MlperfSession {
  readonly id: string;
  readonly #outputTokens: number;
  readonly #calls: CallDraft[] = [];
  readonly #history: PromptPart[] = [];
  /** Fields of the first row of a user, which hold for rows without their own. */
  #first: Row | undefined;

  constructor(id: string, { outputTokens = OUTPUT_TOKENS }: SessionSettings) {
    this.id = id;
    this.#outputTokens = outputTokens;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  finish(path: string): AgentSession {
    return finishedSession(path, this.id, this.#calls);
  }

  add(fields: Row, record: InputRecord): void {
    if (this.#history.length === 0 && fields.system !== undefined && fields.system !== "") {
      this.#push({ "role": "system", "content": fields.system });
    }
    if (fields.role === "user") this.#first ??= fields;
    if (fields.role === "assistant") {
      this.#addReply(fields);
      return;
    }
    if (fields.role === "tool") {
      if (fields.tool_results === undefined) throw record.error("Has no tool_results");
      for (const { tool_call_id: id, content } of fields.tool_results) {
        this.#push({ "role": "tool", "tool_call_id": id, "content": content });
      }
    } else this.#push({ "role": fields.role, "content": fields.content });
    if (fields.role !== "system") this.#addCall(fields);
  }

  #addCall(fields: Row): void {
    const call = new CallDraft(`${this.id}#${fields.turn}`);
    call.model = fields.model;
    // An empty list is a row without tools of its own.
    const tools = (fields.tools?.length ?? 0) > 0 ? fields.tools : this.#first?.tools;
    call.prompt = { kind: "texts", tools, parts: [...this.#history], isJoined: true };
    call.gapClass = fields.role === "tool" ? "tool" : "user";
    const gapMs = (fields.delay_seconds ?? 0) * 1000;
    const before = this.#calls.at(-1);
    if (before === undefined) call.offsetMs = gapMs;
    else call.after(before, "sequence", gapMs);
    call.outputTokens = this.#outputTokens;
    call.reply = [unknownReply(call.id, call.outputTokens)];
    this.#calls.push(call);
  }

  #addReply({ content, tool_calls: calls, reasoning_content: reasoning }: Row): void {
    const call = this.#calls.at(-1);
    const message: Message = {
      "role": "assistant",
      ...(content === undefined ? {} : { "content": content }),
      ...(calls === undefined ? {} : { "tool_calls": calls }),
      ...(reasoning === undefined ? {} : { "reasoning_content": reasoning }),
    };
    const part: PromptPart = {
      kind: "message",
      message,
      ...(call === undefined ? {} : { replyOf: call.id }),
    };
    this.#history.push(part);
    if (call === undefined) return;
    call.reply = [part];
    // Its length is that of the recorded reply.
    call.outputTokens = NaN;
  }

  #push(message: Message): void {
    this.#history.push({ kind: "message", message });
  }
}
