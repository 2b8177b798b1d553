import { withoutNulls } from "../model/checked_record.ts";
import type { ElementChoice, FieldChoice, TextReader } from "../model/field_choice.ts";
import { JsonScanner } from "./json_scanner.ts";

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
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
  #json = new JsonScanner(new Uint8Array(0));
  #end = 0;
  /** Text of the bytes if each character is one byte; undefined if not, null if that is unknown. */
  #text: string | undefined | null;
  /** Value that was read last. */
  #value: unknown;

  /** Fields of the row that was read last. */
  get value(): Record<string, unknown> {
    return this.#value as Record<string, unknown>;
  }

  /**
   * @param bytes a multiple of four
   * @param end of the lines in these, of which each has its end
   */
  open(bytes: Uint8Array<ArrayBuffer>, end: number): void {
    if (bytes !== this.#json.bytes) this.#json = new JsonScanner(bytes);
    this.#end = end;
    this.#text = null;
  }

  /**
   * Reads an object with blanks around it, of which the fields are kept then.
   * @returns place of the line end behind it; -1 if it is not written plainly
   */
  read(start: number, choice: FieldChoice): number {
    const json = this.#json;
    const first = json.blanksEnd(start);
    if (json.bytes[first] !== OPEN_BRACE) return -1;
    const end = this.#object(first, choice, undefined);
    return end < 0 ? -1 : json.blanksEnd(end);
  }

  /** @param only text of a field without which nothing else of the object is needed */
  #object(start: number, choice: FieldChoice, only: ElementChoice | undefined): number {
    const json = this.#json;
    const { bytes } = json;
    const fields: Record<string, unknown> = {};
    let isLeftOut = false;
    let at = json.blanksEnd(start + 1);
    let byte = bytes[at] === CLOSE_BRACE ? bytes[at++] : COMMA;
    while (byte === COMMA) {
      if (bytes[at] !== QUOTE) return -1;
      const nameStart = at + 1;
      if ((at = json.nameEnd(nameStart)) < 0) return -1;
      const number = choice.numberOf(bytes, nameStart, at);
      at = json.blanksEnd(at + 1);
      if (bytes[at] !== COLON) return -1;
      at = json.blanksEnd(at + 1);
      if (number < 0) at = json.valueEnd(at);
      else {
        const name = choice.names[number] as string;
        const decides = name === only?.field;
        // The last one of a name counts.
        if (isLeftOut && decides) return -1;
        if (isLeftOut) at = json.valueEnd(at);
        else {
          const reader = choice.readers[number];
          at = reader !== undefined && bytes[at] === QUOTE
            ? this.#readText(at, reader)
            : this.#field(at, choice.choices[number]);
          fields[name] = this.#value ?? undefined;
          isLeftOut = decides && this.#value !== only.text;
        }
      }
      if (at < 0) return -1;
      at = json.blanksEnd(at);
      byte = bytes[at++];
      if (byte === COMMA) at = json.blanksEnd(at);
    }
    this.#value = fields;
    return byte === CLOSE_BRACE ? at : -1;
  }

  /** Reads a value: the chosen fields of it, or all. */
  #field(start: number, choice: FieldChoice | undefined): number {
    switch (this.#json.bytes[start]) {
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
    const json = this.#json;
    const { bytes } = json;
    const only = choice?.only;
    const values: unknown[] = [];
    let at = json.blanksEnd(start + 1);
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
      } else at = json.valueEnd(at);
      if (at < 0) return -1;
      at = json.blanksEnd(at);
      byte = bytes[at++];
      if (byte === COMMA) at = json.blanksEnd(at);
    }
    this.#value = values;
    return byte === CLOSE_BRACKET ? at : -1;
  }

  #string(start: number): number {
    const end = this.#json.stringEnd(start);
    if (end < 0) return -1;
    const text = this.#textOf(start + 1, end - 1);
    this.#value = text.includes("\\") ? JSON.parse(`"${text}"`) : text;
    return end;
  }

  #readText(start: number, reader: TextReader): number {
    const end = this.#json.stringEnd(start);
    if (end < 0) return -1;
    const value = reader.ofBytes(this.#json.bytes, start + 1, end - 1);
    if (value === undefined) {
      this.#string(start);
      this.#value = reader.of(this.#value as string);
    } else this.#value = value;
    return end;
  }

  #scalar(start: number): number {
    const { bytes } = this.#json;
    const end = this.#json.scalarEnd(start);
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
    const end = this.#json.valueEnd(start);
    if (end >= 0) this.#value = withoutNulls(JSON.parse(this.#textOf(start, end)));
    return end;
  }

  #textOf(start: number, end: number): string {
    const { bytes } = this.#json;
    if (this.#text === null) {
      const text = decoder.decode(bytes.subarray(0, this.#end));
      // No character is longer than its bytes.
      this.#text = text.length === this.#end ? text : undefined;
    }
    return this.#text?.slice(start, end) ?? decoder.decode(bytes.subarray(start, end));
  }
}
