import * as z from "npm:zod@4.6.7";
import { inputLines } from "../../dataset/formats/input_lines.ts";
import { unknownReply } from "../model/agent_session.ts";
import { CallDraft, finishedSession } from "../model/call_draft.ts";
import { FieldChoice } from "../model/field_choice.ts";
import type { SessionFormat } from "../model/session_format.ts";
import { SharedParts } from "../model/shared_parts.ts";

const row = z.looseObject({
  turn_id: z.union([z.string(), z.number()]),
  conversation_id: z.union([z.string(), z.number()]),
  conversation_idx: z.number().optional(),
  model: z.string().optional(),
  messages: z.array(z.record(z.string(), z.unknown())).min(1),
  tools: z.array(z.unknown()).optional(),
  target_output_tokens: z.int().nonnegative().optional(),
  max_output_tokens: z.int().nonnegative().optional(),
  recorded_completion_tokens: z.int().nonnegative().optional(),
  recorded_prompt_tokens: z.number().optional(),
  simulated_tool_delay_ms_after: z.number().nonnegative().optional(),
});

const placeFields = new FieldChoice({ "conversation_id": true, "conversation_idx": true });

type Row = z.infer<typeof row>;

/** Rows of agentperf-local: a whole body each, and the tool time behind it. */
export const agentperf: SessionFormat = {
  name: "agentperf",
  description: "agentperf-local's rows: whole bodies with the tool time after each",
  hasGlobalBlocks: true,
  isTogether: true,

  recognise({ names }) {
    const name = "simulated_tool_delay_ms_after";
    return names.has(name) ? `"${name}"` : undefined;
  },

  grouping: () => ({
    fields: placeFields,
    factsOf({ conversation_id: id, conversation_idx: place }) {
      return { sessions: [[String(id)]], order: typeof place === "number" ? place : 0 };
    },
  }),

  read(source, settings) {
    return {
      async *sessions() {
        const rows: Row[] = [];
        for await (const records of inputLines(source)) {
          for (const record of records) rows.push(record.parsed(row));
        }
        rows.sort((a, b) => (a.conversation_idx ?? 0) - (b.conversation_idx ?? 0));
        const sessions = Map.groupBy(rows, ({ conversation_id: id }) => String(id));
        for (const [id, own] of sessions) {
          yield finishedSession(source.path, id, callsOf(own));
        }
      },
      blockSize: () => settings.blockSize,
    };
  },
};

function callsOf(rows: readonly Row[]): CallDraft[] {
  const calls: CallDraft[] = [];
  rows.forEach((fields, place) => {
    const call = new CallDraft(String(fields.turn_id));
    const before = calls.at(-1);
    call.model = fields.model;
    const parts = new SharedParts(before).of(fields.messages);
    call.prompt = { kind: "texts", tools: fields.tools, parts, isJoined: true };
    call.recordedInputTokens = fields.recorded_prompt_tokens;
    call.outputTokens = fields.target_output_tokens || fields.recorded_completion_tokens ||
      fields.max_output_tokens || 1;
    call.reply = [unknownReply(call.id, call.outputTokens)];
    if (before !== undefined) {
      // The time of the tools is in the row before.
      const gapMs = rows[place - 1]?.simulated_tool_delay_ms_after ?? 0;
      call.after(before, "sequence", gapMs);
      call.gapClass = "tool";
      call.toolMs = gapMs;
    }
    calls.push(call);
  });
  return calls;
}
