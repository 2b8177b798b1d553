import { joinBytes } from "../../../client/http/join_bytes.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { InputRecord } from "./input_record.ts";
import type { ByteSource } from "./byte_source.ts";

const NEWLINE = 10;

/** A longer line is no record of any format. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * The lines of a file that are not blank, in groups, without their ends.
 * @throws {DatasetError} if one is not UTF-8, or too long
 */
export async function* inputLines(source: ByteSource): AsyncGenerator<InputRecord[]> {
  let line = 1;
  let rest: Uint8Array[] = [];
  let restLength = 0;
  for await (const bytes of source.bytes()) {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest.push(bytes);
      restLength += bytes.length;
      if (restLength > MAX_LINE_BYTES) {
        throw new DatasetError(
          source.path,
          line,
          `Line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`,
        );
      }
      continue;
    }
    const whole = joinBytes([...rest, bytes.subarray(0, end)]);
    // A copy: the rest of the buffer would be kept for it.
    const left = bytes.slice(end);
    rest = left.length > 0 ? [left] : [];
    restLength = left.length;
    const lines = decoded(whole, source.path, line).split("\n");
    // Behind the last line end there is nothing.
    lines.pop();
    const records = recordsOf(lines, source, line);
    line += lines.length;
    if (records.length > 0) yield records;
  }
  if (restLength > 0) {
    const records = recordsOf(
      decoded(joinBytes(rest), source.path, line).split("\n"),
      source,
      line,
    );
    if (records.length > 0) yield records;
  }
}

function recordsOf(
  lines: readonly string[],
  { path, unread }: ByteSource,
  firstLine: number,
): InputRecord[] {
  const records: InputRecord[] = [];
  lines.forEach((text, index) => {
    if (text.trim() === "") return;
    const line = firstLine + index;
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    records.push(
      new InputRecord(
        line === 1 ? whole.replace(/^\uFEFF/, "") : whole,
        { path, line, column: 1 },
        unread,
      ),
    );
  });
  return records;
}

/**
 * The text of whole lines.
 * @throws {DatasetError} naming the line and column that is not UTF-8
 */
export function decoded(bytes: Uint8Array, path: string, firstLine: number): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    const { line, column } = badPlace(bytes);
    throw new DatasetError(path, firstLine + line, "Not valid UTF-8", column);
  }
}

/** The first place that is not UTF-8; a byte of a character is never a line end. */
function badPlace(bytes: Uint8Array): { line: number; column: number } {
  for (let line = 0, start = 0; start < bytes.length; line++) {
    const next = bytes.indexOf(NEWLINE, start);
    const end = next < 0 ? bytes.length : next;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end));
    // What cannot be decoded is replaced; a line may also hold the replacement itself.
    const encoded = new TextEncoder().encode(text);
    const wrong = encoded.findIndex((byte, i) => byte !== bytes[start + i]);
    if (wrong >= 0 || encoded.length !== end - start) {
      const before = new TextDecoder().decode(encoded.subarray(0, Math.max(0, wrong)));
      return { line, column: before.length + 1 };
    }
    start = end + 1;
  }
  return { line: 0, column: 1 };
}
