import type { ByteSource } from "../../dataset/formats/byte_source.ts";
import { InputRecord } from "../../dataset/formats/input_record.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { RowFacts, RowGrouping } from "../model/row_grouping.ts";
import { withoutNulls } from "../model/checked_record.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";

const NEWLINE = 10;
const decoder = new TextDecoder();

/** A row of a file, where it lies. */
export interface ScannedRow {
  /** Bytes before it. */
  readonly offset: number;
  readonly length: number;
  /** From 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** Yields the lines of a file that are not blank, without their ends. */
export async function* scanRows(source: ByteSource): AsyncGenerator<ScannedRow[]> {
  let [line, offset] = [1, 0];
  let rest: Uint8Array[] = [];
  for await (const piece of source.bytes()) {
    const last = piece.lastIndexOf(NEWLINE);
    if (last < 0) {
      rest.push(piece);
      continue;
    }
    const bytes = rest.length === 0
      ? piece.subarray(0, last)
      : joinBytes([...rest, piece.subarray(0, last)]);
    const rows: ScannedRow[] = [];
    for (let start = 0; start <= bytes.length; line++) {
      const found = bytes.indexOf(NEWLINE, start);
      const end = found < 0 ? bytes.length : found;
      add(rows, bytes.subarray(start, end), offset + start, line);
      start = end + 1;
    }
    offset += bytes.length + 1;
    rest = last + 1 < piece.length ? [piece.slice(last + 1)] : [];
    yield rows;
  }
  const rows: ScannedRow[] = [];
  add(rows, joinBytes(rest), offset, line);
  yield rows;
}

/**
 * Returns the facts of a row; undefined for a header.
 * @throws {DatasetError} naming the line, if it is no JSON object or its fields are of other types
 */
export function rowFacts(
  row: ScannedRow,
  path: string,
  grouping: RowGrouping,
): RowFacts | undefined {
  const fields = rowFields(row, path, grouping.longField);
  try {
    // Programs write null for a field that is missing.
    return grouping.factsOf(withoutNulls(fields) as typeof fields);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DatasetError(path, row.line, "Has a field of another type than its format requires");
  }
}

/**
 * Returns the fields of a row; a field that is not wanted is left out.
 * @throws {DatasetError} if it is no JSON object
 */
function rowFields(
  { bytes, line }: Pick<ScannedRow, "bytes" | "line">,
  path: string,
  leftOut: string | undefined,
): Record<string, unknown> {
  const text = decoder.decode(bytes);
  const value = parsed(leftOut === undefined ? text : withoutList(text, leftOut));
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  const record = new InputRecord(text, { path, line, column: 1 });
  const whole = record.json;
  if (typeof whole === "object" && whole !== null) return whole as Record<string, unknown>;
  throw record.error("Must be an object");
}

function add(rows: ScannedRow[], bytes: Uint8Array, offset: number, line: number): void {
  if (bytes.some((byte) => byte > 32)) rows.push({ offset, length: bytes.length, line, bytes });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Empties the list of a field: to parse thousands of numbers takes longer than all the rest. */
function withoutList(text: string, field: string): string {
  const found = new RegExp(`"${field}"\\s*:\\s*\\[`).exec(text);
  if (found === null) return text;
  const start = found.index + found[0].length;
  const end = text.indexOf("]", start);
  return end < 0 ? text : text.slice(0, start) + text.slice(end);
}
