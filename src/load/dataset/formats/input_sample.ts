import { DatasetError } from "../../../core/files/dataset_error.ts";
import { binaryKind } from "./binary_kind.ts";
import { InputRecord } from "./input_record.ts";
import { withoutNulls } from "./without_nulls.ts";
import type { InputSource } from "./input_source.ts";
import { JsonSplitter } from "./json_elements.ts";

/** A first record that is longer is not looked for. */
const MAX_SAMPLE_BYTES = 64 * 1024 * 1024;
/** Files of a folder that are read. */
export const FOLDER_FILES = /\.jsonl?$/i;
/** Bytes among which a document shows what it is. */
const MIN_DOCUMENT_BYTES = 1024 * 1024;

/** Beginning of an input file, from which its format is detected. */
export interface InputSample {
  readonly path: string;
  /** Layout of the file by its first bytes. */
  readonly layout: "folder" | "json lines" | "json array" | "json object" | "text";
  /** The first record: of the lines, of the array, or of the folder's first file. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Names of the first record's fields, those without values included. @default those of `record` */
  readonly names?: readonly string[];
  /** Names of the columns if the first line has them; only of a text. */
  readonly columns: readonly string[];
  /** Separator of the columns; only of a text. */
  readonly delimiter: string;
  /** Whether blank lines separate paragraphs of several lines; only of a text. */
  readonly hasParagraphs?: boolean;
  /** Fields of the object that the whole file is, as far as they were seen. */
  readonly fields: readonly string[];
}

/** Names of files whose text need not be JSON. */
export const TEXT_NAME = /\.(txt|text|md|prompts?)$/i;
/** Beginning of a text that is JSON whatever its file is called. */
const JSON_START = /^(\[\s*\{\s*"|\{\s*"(?:[^"\\]|\\.)*"\s*:)/;
/** Maximum mean number of lines of paragraphs; with more, a blank line between lines is an accident. */
const MAX_PARAGRAPH_LINES = 20;

/**
 * Looks at the beginning of a file.
 * @param isText whether the file is a text or a table, whatever it begins with
 * @throws {DatasetError} if it cannot be read, or has nothing in it
 */
export async function inputSample(source: InputSource, isText = false): Promise<InputSample> {
  const { path } = source;
  const nothing = { path, record: undefined, columns: [], delimiter: ",", fields: [] };
  if (source.isFolder) {
    const [first] = await source.files(FOLDER_FILES);
    const { layout, record } = await inputSample(first as InputSource);
    return { ...nothing, layout: "folder", record: layout === "json lines" ? record : undefined };
  }
  const head = await source.head(sampleEnd(path, isText), MAX_SAMPLE_BYTES);
  const binary = binaryKind(head);
  if (binary !== undefined) throw new DatasetError(path, undefined, binary);
  const text = new TextDecoder().decode(head);
  const first = text.search(/\S/);
  if (first < 0) throw new DatasetError(path, undefined, "File has no rows");
  const isPlain = isText || (TEXT_NAME.test(path) && !JSON_START.test(text.slice(first)));
  if (text[first] === "[" && !isPlain) {
    return { ...nothing, layout: "json array", record: firstOf(path, head) };
  }
  const line = text.slice(0, first).split("\n").length;
  const end = text.indexOf("\n", first);
  const firstLine = (end < 0 ? text.slice(first) : text.slice(first, end)).trimEnd();
  if (text[first] !== "{" || isPlain) {
    const delimiter = delimiterOf(firstLine);
    const columns = firstLine.split(delimiter)
      .map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
    const hasParagraphs = isInParagraphs(text.slice(first));
    return { ...nothing, layout: "text", columns, delimiter, hasParagraphs };
  }
  const value = objectOf(firstLine);
  // A whole document may stand on one line too.
  if (value !== undefined && !Array.isArray(value["data"])) {
    const names = Object.keys(value);
    return { ...nothing, layout: "json lines", record: withoutNulls(value), names };
  }
  const fields = topFields(text.slice(first));
  if (fields.includes("data") || value !== undefined) {
    return { ...nothing, layout: "json object", fields };
  }
  // Not JSON: said where it is, unless it is an object over several lines.
  if (firstLine !== "{") void new InputRecord(firstLine, { path, line, column: 1 }).json;
  return { ...nothing, layout: "json object", fields };
}

/** The most frequent separator of a line with names of columns. */
function delimiterOf(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", "\t", ";"].reduce((best, other) => count(other) > count(best) ? other : best);
}

function isInParagraphs(text: string): boolean {
  const blocks = text.trim().split(/\r?\n(?:[ \t]*\r?\n)+/).map((block) =>
    block.split("\n").length
  );
  const lines = blocks.reduce((sum, count) => sum + count, 0);
  return blocks.length > 1 && lines > blocks.length && lines / blocks.length <= MAX_PARAGRAPH_LINES;
}

/**
 * A function that returns whether a first line, or enough of a document, is there, or what is no
 * text; it looks at each byte once.
 */
function sampleEnd(
  path: string,
  isText: boolean,
): (bytes: Uint8Array, seen: number) => boolean {
  let start = -1;
  const hasElement = elementFinder(path);
  return (bytes, seen) => {
    if (seen === 0 && binaryKind(bytes) !== undefined) return true;
    if (start < 0) {
      const from = seen === 0 && hasByteOrderMark(bytes) ? 3 : seen;
      const found = bytes.subarray(from).findIndex((byte) => byte > 32);
      if (found < 0) return false;
      start = from + found;
    }
    const isArray = bytes[start] === 91 && !isText;
    if (bytes.length >= MIN_DOCUMENT_BYTES && isDocument(bytes, start)) {
      return !isArray || hasElement(bytes);
    }
    return !isArray && bytes.indexOf(10, Math.max(start, seen)) >= 0;
  };
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** A function that returns whether the first element of an array is there, or the array is none. */
function elementFinder(path: string): (bytes: Uint8Array) => boolean {
  const splitter = new JsonSplitter(path, undefined);
  let read = 0;
  return (bytes) => {
    const more = bytes.subarray(read);
    read = bytes.length;
    try {
      return splitter.push(more).length > 0;
    } catch (error) {
      // What is wrong is reported when the sample is read.
      if (error instanceof DatasetError) return true;
      throw error;
    }
  };
}

function isDocument(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === 91 ||
    /^\{\s*"data"\s*:\s*\[/.test(new TextDecoder().decode(bytes.subarray(start, start + 1000)));
}

/** The first element of an array, if it has come and is an object. */
function firstOf(path: string, head: Uint8Array): InputSample["record"] {
  const [first] = new JsonSplitter(path, undefined).push(head);
  if (first === undefined) return undefined;
  const value = first.json;
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : undefined;
}

function objectOf(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names at the first level of an object that may not end here. */
function topFields(text: string): string[] {
  const fields: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && token.endsWith(":")) {
      fields.push(token.slice(1, token.lastIndexOf('"')));
    }
    if (depth === 0 || fields.length >= 20) break;
  }
  return fields;
}
