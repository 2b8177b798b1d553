/**
 * JSON whose objects may be given as `Map`s: their keys keep their order under any name, also `10`
 * behind `2.5`, and `__proto__`. Big integers are written digit for digit; numbers that JSON cannot
 * hold are omitted. Arrays may be given as iterators and objects as {@linkcode LazyEntries}, whose
 * entries are generated when they are written.
 */

import { escapedControls } from "../../core/files/escaped_controls.ts";

/** The entries of an object, in their order. */
export class LazyEntries {
  readonly entries: Iterable<[string, unknown]>;

  constructor(entries: Iterable<[string, unknown]>) {
    this.entries = entries;
  }
}

/** Layout of a text. */
interface Layout {
  readonly step: string;
  readonly colon: string;
}

const INDENTED: Layout = { step: "  ", colon: ": " };
const ONE_LINE: Layout = { step: "", colon: ":" };

/** Depth of containers that are formatted as one text; less deep ones may be too large for that. */
const MAX_STREAMED_DEPTH = 4;
/** Characters that are gathered before a piece is handed out, about. */
const BLOCK_CHARACTERS = 64 * 1024;

/** A document in pieces, indented by two spaces. */
export function* jsonDocument(value: unknown): Generator<string> {
  let block = "";
  for (const piece of pieces(value, "\n", 0)) {
    block += piece;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield block;
    block = "";
  }
  if (block !== "") yield block;
}

/** A document on one line. */
export function jsonLine(value: unknown): string {
  return textOf(value, "", ONE_LINE);
}

function* pieces(value: unknown, indent: string, depth: number): Generator<string> {
  if (depth === MAX_STREAMED_DEPTH || typeof value !== "object" || value === null) {
    yield textOf(value, indent, INDENTED);
    return;
  }
  const inner = indent + INDENTED.step;
  let before = inner;
  if (isList(value)) {
    yield "[";
    for (const entry of value) {
      yield before;
      yield* pieces(isWritten(entry) ? entry : null, inner, depth + 1);
      before = `,${inner}`;
    }
    yield before === inner ? "]" : `${indent}]`;
    return;
  }
  yield "{";
  for (const [key, entry] of entriesOf(value)) {
    if (!isWritten(entry)) continue;
    yield `${before}${jsonString(key)}${INDENTED.colon}`;
    yield* pieces(entry, inner, depth + 1);
    before = `,${inner}`;
  }
  yield before === inner ? "}" : `${indent}}`;
}

function textOf(value: unknown, indent: string, layout: Layout): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return jsonString(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + layout.step;
  let text = "";
  let before = inner;
  if (isList(value)) {
    for (const entry of value) {
      text += before + textOf(isWritten(entry) ? entry : null, inner, layout);
      before = `,${inner}`;
    }
    return text === "" ? "[]" : `[${text}${indent}]`;
  }
  for (const [key, entry] of entriesOf(value)) {
    if (!isWritten(entry)) continue;
    text += before + jsonString(key) + layout.colon + textOf(entry, inner, layout);
    before = `,${inner}`;
  }
  return text === "" ? "{}" : `{${text}${indent}}`;
}

function jsonString(text: string): string {
  return escapedControls(JSON.stringify(text));
}

function isList(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && !(value instanceof Map);
}

function entriesOf(value: object): Iterable<[string, unknown]> {
  if (value instanceof LazyEntries) return value.entries;
  return value instanceof Map ? value : Object.entries(value);
}

function isWritten(value: unknown): boolean {
  return value !== undefined && (typeof value !== "number" || Number.isFinite(value));
}
