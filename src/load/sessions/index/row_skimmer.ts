import { withoutNulls } from "../model/checked_record.ts";
import type { ElementChoice, FieldChoice } from "../model/field_choice.ts";
import { blanksEnd, scalarEnd, stringEnd, valueEnd } from "./json_end.ts";

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Digits of a whole number that is exact when it is summed up. */
const MOST_DIGITS = 15;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads the chosen fields of rows from bytes, and only checks the syntax of everything else. A row that
 * is not valid or not written plainly, such as with escapes in names, is left to JSON.parse.
 */
export class RowSkimmer {
  #bytes = new Uint8Array(0);
  /** Text of the bytes if each character is one byte; undefined if not, null if that is unknown. */
  #text: string | undefined | null;
  /** Value that was read last. */
  #value: unknown;

  /** Fields of the row that was read last. */
  get value(): Record<string, unknown> {
    return this.#value as Record<string, unknown>;
  }

  /** @param bytes lines, each with its end */
  open(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#text = null;
  }

  /** Returns the place behind an object, whose value is kept then; -1 if it is not written plainly. */
  read(start: number, choice: FieldChoice): number {
    return this.#bytes[start] === OPEN_BRACE ? this.#object(start, choice, undefined) : -1;
  }

  /** @param only text of a field without which nothing else of the object is needed */
  #object(start: number, choice: FieldChoice, only: ElementChoice | undefined): number {
    const bytes = this.#bytes;
    const fields = choice.none();
    let isLeftOut = false;
    let at = blanksEnd(bytes, start + 1);
    let byte = bytes[at] === CLOSE_BRACE ? bytes[at++] : COMMA;
    while (byte === COMMA) {
      if (bytes[at] !== QUOTE) return -1;
      const nameStart = at + 1;
      if ((at = nameEnd(bytes, nameStart)) < 0) return -1;
      const number = choice.numberOf(bytes, nameStart, at);
      at = blanksEnd(bytes, at + 1);
      if (bytes[at] !== COLON) return -1;
      at = blanksEnd(bytes, at + 1);
      if (number < 0) at = valueEnd(bytes, at);
      else {
        const name = choice.names[number] as string;
        const decides = name === only?.field;
        // The last one of a name counts.
        if (isLeftOut && decides) return -1;
        if (isLeftOut) at = valueEnd(bytes, at);
        else {
          at = this.#field(at, choice.choices[number]);
          fields[name] = this.#value ?? undefined;
          isLeftOut = decides && this.#value !== only.text;
        }
      }
      if (at < 0) return -1;
      at = blanksEnd(bytes, at);
      byte = bytes[at++];
      if (byte === COMMA) at = blanksEnd(bytes, at);
    }
    this.#value = fields;
    return byte === CLOSE_BRACE ? at : -1;
  }

  /** Reads a value: the chosen fields of it, or all. */
  #field(start: number, choice: FieldChoice | undefined): number {
    switch (this.#bytes[start]) {
      case QUOTE:
        return this.#string(start);
      case OPEN_BRACE:
        return choice === undefined ? this.#whole(start) : this.#object(start, choice, undefined);
      case OPEN_BRACKET:
        return this.#list(start, choice);
      default:
        return this.#scalar(start);
    }
  }

  #list(start: number, choice: FieldChoice | undefined): number {
    const bytes = this.#bytes;
    const only = choice?.only;
    const values: unknown[] = [];
    let at = blanksEnd(bytes, start + 1);
    let byte = bytes[at] === CLOSE_BRACKET ? bytes[at++] : COMMA;
    while (byte === COMMA) {
      const first = bytes[at];
      if (choice === undefined && (first === OPEN_BRACE || first === OPEN_BRACKET)) {
        return this.#whole(start);
      }
      if (choice === undefined || only === undefined) {
        at = this.#field(at, choice);
        values.push(this.#value);
      } else if (first === OPEN_BRACE) {
        at = this.#object(at, choice, only);
        const element = this.#value as Record<string, unknown> | undefined;
        if (element?.[only.field] === only.text) values.push(element);
      } else at = valueEnd(bytes, at);
      if (at < 0) return -1;
      at = blanksEnd(bytes, at);
      byte = bytes[at++];
      if (byte === COMMA) at = blanksEnd(bytes, at);
    }
    this.#value = values;
    return byte === CLOSE_BRACKET ? at : -1;
  }

  #string(start: number): number {
    const end = stringEnd(this.#bytes, start);
    if (end < 0) return -1;
    const text = this.#textOf(start + 1, end - 1);
    this.#value = text.includes("\\") ? JSON.parse(`"${text}"`) : text;
    return end;
  }

  #scalar(start: number): number {
    const bytes = this.#bytes;
    const end = scalarEnd(bytes, start);
    if (end < 0) return -1;
    let sum = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte < ZERO || byte > NINE) break;
      sum = sum * 10 + byte - ZERO;
    }
    const isWhole = at === end && end - start <= MOST_DIGITS;
    this.#value = isWhole ? sum : JSON.parse(this.#textOf(start, end));
    return end;
  }

  #whole(start: number): number {
    const end = valueEnd(this.#bytes, start);
    if (end >= 0) this.#value = withoutNulls(JSON.parse(this.#textOf(start, end)));
    return end;
  }

  #textOf(start: number, end: number): string {
    const bytes = this.#bytes;
    if (this.#text === null) {
      const text = decoder.decode(bytes);
      // No character is longer than its bytes.
      this.#text = text.length === bytes.length ? text : undefined;
    }
    return this.#text?.slice(start, end) ?? decoder.decode(bytes.subarray(start, end));
  }
}

/** Returns the place of the quotation mark behind a name; -1 if it has escapes. */
function nameEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] as number; byte !== QUOTE; byte = bytes[++at] as number) {
    if (byte === BACKSLASH || byte < 32) return -1;
  }
  return at;
}
