import * as z from "npm:zod@4.6.7";
import type { ConversationTurn } from "../conversations/conversation.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import type { InputRecord } from "./input_record.ts";
import type { InputSource } from "./input_source.ts";
import { groupedTurns } from "./session_groups.ts";
import { TraceTurns } from "./trace_turns.ts";
import { HASH_IDS, TRACE_TOKENS } from "./trace_fields.ts";
import type { TraceRow } from "./trace_row.ts";
import { REQUIREMENT_FIELDS, requirementsOf } from "./requirement_fields.ts";

/** Fields from which a row may have its prompt; it has exactly one. */
const MODES = ["input_length", "text_input", "messages", "payload"] as const;

const mooncakeRow = z.looseObject({
  type: z.unknown().optional(),
  input_length: TRACE_TOKENS.optional(),
  hash_ids: HASH_IDS.optional(),
  text_input: z.string().optional(),
  messages: z.array(z.record(z.string(), z.unknown())).min(1).optional(),
  ...REQUIREMENT_FIELDS,
  payload: z.record(z.string(), z.unknown()).optional(),
  output_length: TRACE_TOKENS.optional(),
  timestamp: z.number().optional(),
  delay: z.number().nonnegative().optional(),
  session_id: z.union([z.string(), z.number()], "Must be a text or a number").optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

type MooncakeRow = z.infer<typeof mooncakeRow>;

/** Fields that only rows of this format have, or that mark messages as a trace's. */
const TIMES = ["timestamp", "delay", "session_id", "output_length"];

/**
 * Rows of lengths with the hashes of their blocks, as Mooncake publishes them, or of texts, messages
 * or bodies with the same fields around them. Times are milliseconds.
 */
export const mooncakeTrace: InputFormat = {
  name: "mooncake-trace",
  description: "a trace of lengths with hash_ids, in Mooncake's layout",
  paging: "without sessions",
  isTimed: true,
  blockSize: 512,

  recognise({ layout, record = {} }) {
    if (layout !== "json lines" || "chat_id" in record) return lacks("JSON lines");
    const mode = MODES.find((name) => name in record);
    if (mode === "input_length" || mode === "text_input") {
      return fits(`its first record has "${mode}"`);
    }
    const time = TIMES.find((name) => name in record);
    return mode !== undefined && time !== undefined
      ? fits(`its first record has "${mode}" and "${time}"`)
      : lacks("input_length, text_input, or messages or payload with a time");
  },

  read: (source, context) =>
    groupedTurns(conversations(source, context), { path: source.path, isPaged: context.isPaged }),

  async *rows(source) {
    for await (const records of inputLines(source)) {
      yield* records.map((record) => rowOf(record, checkedRow(record)));
    }
  },
};

function rowOf(record: InputRecord, row: MooncakeRow): TraceRow {
  return {
    record,
    session: row.session_id === undefined ? undefined : String(row.session_id),
    timestampMs: row.timestamp,
    delayMs: row.delay,
    inputTokens: row.input_length,
    request: row.input_length === undefined ? textTurn(row, row.output_length).request : undefined,
    outputTokens: row.output_length,
    hashIds: row.hash_ids,
  };
}

function checkedRow(record: InputRecord): MooncakeRow {
  const row = record.parsed(mooncakeRow);
  const modes = MODES.filter((name) => row[name] !== undefined);
  if (modes.length !== 1) {
    throw record.error(
      modes.length === 0 ? `Row has none of ${MODES.join(", ")}` : `Has ${modes.join(" and ")}`,
      modes.slice(-1),
    );
  }
  if (row.hash_ids !== undefined && row.input_length === undefined) {
    throw record.error("Needs input_length", ["hash_ids"]);
  }
  return row;
}

async function* conversations(source: InputSource, context: FormatContext) {
  const traceTurns = new TraceTurns(source, mooncakeTrace, context);
  for await (const records of inputLines(source)) {
    for (const record of records) {
      const row = checkedRow(record);
      const trace = rowOf(record, row);
      const turn = row.input_length === undefined
        ? await traceTurns.scaled(trace, (outputTokens) => textTurn(row, outputTokens))
        : await traceTurns.turn(trace, row.extra ?? {});
      if (turn !== undefined) yield { id: trace.session, turns: [turn] };
    }
  }
  traceTurns.finish();
}

/** The turn of a row that brings its text. */
function textTurn(
  row: MooncakeRow,
  outputTokens: number | undefined,
): Pick<ConversationTurn, "request" | "followsHistory"> {
  const extra = { ...requirementsOf(row), ...row.extra };
  if (row.payload !== undefined) {
    return { request: { kind: "body", body: row.payload }, followsHistory: false };
  }
  if (row.messages !== undefined) {
    return {
      request: { kind: "messages", messages: row.messages, outputTokens, extra },
      followsHistory: false,
    };
  }
  const content = { texts: [row.text_input ?? ""], images: [], outputTokens, extra };
  return { request: { kind: "content", content }, followsHistory: row.session_id !== undefined };
}
