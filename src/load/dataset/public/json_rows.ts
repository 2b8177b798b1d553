import type { ByteSource } from "../formats/byte_source.ts";
import { inputLines } from "../formats/input_lines.ts";
import type { InputRecord } from "../formats/input_record.ts";
import { jsonElements } from "../formats/json_elements.ts";
import type { DatasetRow } from "./dataset_row.ts";
import type { RowFile } from "./row_file.ts";

const OPEN_BRACKET = 91;

/**
 * The objects of a JSON file, which is an array of them or has one on each line.
 * @throws {DatasetError} naming line and column of what is no JSON
 */
export async function* jsonRows(file: RowFile): AsyncGenerator<DatasetRow> {
  const bytes = file.bytes()[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const { value, done } = await bytes.next();
    if (done) break;
    head.push(value);
    // Behind blanks and the byte order mark.
    first = value.find((byte) => byte > 32 && byte < 128);
  }
  const source: ByteSource = {
    path: file.path,
    async *bytes() {
      try {
        yield* head;
        for (;;) {
          const { value, done } = await bytes.next();
          if (done) return;
          yield value;
        }
      } finally {
        await bytes.return?.();
      }
    },
  };
  for await (const records of first === OPEN_BRACKET ? jsonElements(source) : inputLines(source)) {
    for (const record of records) yield rowOf(record);
  }
}

function rowOf(record: InputRecord): DatasetRow {
  const value = record.json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw record.error("Must be a JSON object");
  }
  return {
    fields: value as Record<string, unknown>,
    error: (message, column) => record.error(message, column === undefined ? [] : [column]),
  };
}
