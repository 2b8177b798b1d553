import { parse } from "npm:csv-parse@7.0.3/sync";
import type { Conversation } from "../conversations/conversation.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { fits, type FormatContext, type InputFormat, lacks } from "./input_format.ts";
import { inputLines } from "./input_lines.ts";
import { InputRecord } from "./input_record.ts";
import type { InputSource } from "./input_source.ts";
import { millisecondsOf } from "./trace_fields.ts";
import type { TraceRow } from "./trace_row.ts";
import { TraceTurns } from "./trace_turns.ts";

/** Columns that there must be; upper and lower case are the same. */
const COLUMNS = ["timestamp", "request tokens", "response tokens"] as const;

/**
 * BurstGPT's table of times and lengths. Times are seconds; a row without response tokens is a
 * request that failed in the trace and is left out.
 */
export const burstGptTrace: InputFormat = {
  name: "burst-gpt-trace",
  description: "a CSV file of times and lengths, in BurstGPT's layout",
  paging: "always",
  isTimed: true,

  recognise({ columns }) {
    const names = columns.map((name) => name.toLowerCase());
    return COLUMNS.every((name) => names.includes(name))
      ? fits(`its columns are ${columns.join(", ")}`)
      : lacks("a CSV file with the columns Timestamp, Request tokens, Response tokens");
  },

  read: (source, context) => conversations(source, context),

  async *rows(source) {
    for await (const row of allRows(source)) if (!hasFailed(row)) yield row;
  },
};

function hasFailed({ outputTokens }: TraceRow): boolean {
  return outputTokens === 0;
}

async function* conversations(
  source: InputSource,
  context: FormatContext,
): AsyncGenerator<Conversation> {
  const traceTurns = new TraceTurns(source, burstGptTrace, context);
  let failed = 0;
  for await (const row of allRows(source)) {
    if (hasFailed(row)) {
      failed++;
      continue;
    }
    const turn = await traceTurns.turn(row, {});
    if (turn !== undefined) yield { id: undefined, turns: [turn] };
  }
  traceTurns.finish();
  if (failed > 0) {
    context.warn(`${source.path}: rows without response tokens (failures), left out: ${failed}`);
  }
}

async function* allRows(source: InputSource): AsyncGenerator<TraceRow> {
  let places: readonly number[] | undefined;
  let open: InputRecord | undefined;
  for await (const records of inputLines(source)) {
    for (const line of records) {
      const record: InputRecord = open === undefined ? line : joined(open, line);
      open = isOpen(record) ? record : undefined;
      if (open !== undefined) continue;
      const fields = fieldsOf(record);
      if (places === undefined) {
        const names = fields.map((name) => name.trim().toLowerCase());
        places = COLUMNS.map((name) => names.indexOf(name));
        const missing = COLUMNS.filter((name) => !names.includes(name));
        if (missing.length > 0) {
          throw new DatasetError(source.path, record.place.line, `No column "${missing[0]}"`, 1);
        }
        continue;
      }
      const [seconds, inputTokens, outputTokens] = places.map((place, i) =>
        numberIn(record, fields, place, COLUMNS[i] as string)
      ) as [number, number, number];
      yield {
        record,
        session: undefined,
        timestampMs: millisecondsOf(seconds),
        delayMs: undefined,
        inputTokens,
        outputTokens,
        hashIds: undefined,
      };
    }
  }
  // It says what is wrong with it.
  if (open !== undefined) fieldsOf(open);
}

/** Maximum length of a quoted field in characters; a longer field has lost its closing quote. */
const MAX_RECORD = 64 * 1024;

/** Whether a quoted field continues on the next line: quotes within a field are doubled. */
function isOpen({ text }: InputRecord): boolean {
  if (!text.includes('"') || text.length > MAX_RECORD) return false;
  return text.split('"').length % 2 === 0;
}

function joined(record: InputRecord, line: InputRecord): InputRecord {
  return new InputRecord(`${record.text}\n${line.text}`, record.place);
}

function fieldsOf(record: InputRecord): string[] {
  if (!record.text.includes('"')) return record.text.split(",");
  try {
    const [fields = []] = parse(record.text, { relax_column_count: true }) as string[][];
    return fields;
  } catch (error) {
    const { path, line } = record.place;
    // It was given one line, which it calls the first.
    const why = (error as Error).message.replace(/ at line 1\b/, "");
    throw new DatasetError(path, line, `Not valid CSV: ${why}`, 1);
  }
}

function numberIn(
  record: InputRecord,
  fields: readonly string[],
  place: number,
  name: string,
): number {
  const text = fields[place]?.trim() ?? "";
  const value = text === "" ? NaN : Number(text);
  const isWhole = name === "timestamp" || Number.isInteger(value);
  if (value >= 0 && value < Infinity && isWhole) return value;
  const { path, line } = record.place;
  // Up to a quoted field, of which the exact place does not matter.
  const column = fields.slice(0, place).join(",").length + (place > 0 ? 2 : 1);
  throw new DatasetError(
    path,
    line,
    `${name}: Must be a ${name === "timestamp" ? "number" : "whole number"} from 0, got ` +
      JSON.stringify(text.slice(0, 40)),
    column,
  );
}
