import { DatasetError } from "../../../core/files/dataset_error.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import { decoded, inputLines } from "../../dataset/formats/input_lines.ts";
import { InputRecord } from "../../dataset/formats/input_record.ts";
import { FOLDER_FILES } from "../../dataset/formats/input_sample.ts";
import { jsonElements } from "../../dataset/formats/json_elements.ts";
import type { SessionSource } from "./session_source.ts";

/** Bytes in which the layout of a file shows. */
const HEAD_BYTES = 64 * 1024 * 1024;
const OPEN_BRACKET = 91;
const NEWLINE = 10;

/**
 * Yields the JSON documents of a file: the elements of an array, the lines, or the one document that
 * it is; of a folder, those of all its files.
 * @throws {DatasetError} if something is not JSON
 */
export async function* readDocuments(source: SessionSource): AsyncGenerator<InputRecord> {
  if (source.isFolder) {
    for (const file of await source.files(FOLDER_FILES)) yield* readDocuments(file);
    return;
  }
  const head = await source.head((bytes, seen) => hasFirstLine(bytes, seen), HEAD_BYTES);
  const start = head.findIndex((byte) => byte > 32 && byte < 128);
  if (head[start] === OPEN_BRACKET) {
    for await (const records of jsonElements(source)) yield* records;
  } else if (isOneLine(head, start)) {
    for await (const records of inputLines(source)) yield* records;
  } else yield await wholeFile(source);
}

/** Whether each line of a file is a document. */
export async function hasDocumentLines(source: SessionSource): Promise<boolean> {
  const head = await source.head((bytes, seen) => hasFirstLine(bytes, seen), HEAD_BYTES);
  const start = head.findIndex((byte) => byte > 32 && byte < 128);
  return head[start] !== OPEN_BRACKET && isOneLine(head, start);
}

/** Returns the fields of a document, which has to be an object. */
export function fieldsOf(record: InputRecord): Record<string, unknown> {
  const value = record.json;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw record.error("Must be an object");
}

function hasFirstLine(bytes: Uint8Array, seen: number): boolean {
  const start = bytes.findIndex((byte) => byte > 32 && byte < 128);
  return start >= 0 && (bytes[start] === OPEN_BRACKET ||
    bytes.indexOf(NEWLINE, Math.max(start, seen)) >= 0);
}

/** Whether the first line is a document: then the file is lines. */
function isOneLine(head: Uint8Array, start: number): boolean {
  const end = head.indexOf(NEWLINE, Math.max(0, start));
  if (end < 0) return true;
  try {
    JSON.parse(new TextDecoder().decode(head.subarray(Math.max(0, start), end)));
    return true;
  } catch {
    return false;
  }
}

async function wholeFile(source: SessionSource): Promise<InputRecord> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.bytes()) pieces.push(piece);
  const text = decoded(joinBytes(pieces), source.path, 1);
  if (text.trim() === "") throw new DatasetError(source.path, undefined, "File has no rows");
  return new InputRecord(text.replace(/^\uFEFF/, ""), { path: source.path, line: 1, column: 1 });
}
