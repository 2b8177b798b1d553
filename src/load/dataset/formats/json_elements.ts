import { DatasetError } from "../../../core/files/dataset_error.ts";
import { decoded } from "./input_lines.ts";
import { InputRecord } from "./input_record.ts";
import type { ByteSource } from "./byte_source.ts";
import type { UnreadFields } from "./unread_fields.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const NEWLINE = 10;

/**
 * Yields the elements of a JSON array sequentially: such files may be larger than memory. The array
 * is the whole file or a field of its object.
 * @param field of the object; undefined if the file is an array
 * @throws {DatasetError} if there is no such array, or the file ends within it
 */
export async function* jsonElements(
  source: ByteSource,
  field?: string,
): AsyncGenerator<InputRecord[]> {
  const splitter = new JsonSplitter(source.path, field, source.unread);
  for await (const bytes of source.bytes()) {
    const records = splitter.push(bytes);
    if (records.length > 0) yield records;
  }
  splitter.end();
}

/** Finds where elements begin and end; what is in them is not looked at. */
export class JsonSplitter {
  readonly #path: string;
  readonly #field: string | undefined;
  readonly #unread: UnreadFields | undefined;
  /** Depth at which the elements are: 1 of an array, 2 of an object's field. */
  readonly #elementDepth: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** Bytes before this line's first. */
  #lineStart = 0;
  #offset = 0;
  /** Whether the array has been found, and ended. */
  #isInside = false;
  #isOver = false;
  /** The last string at depth 1 of an object, as far as it matters. */
  #key: number[] | undefined;
  #name = "";
  #isValueNext = false;
  /** Pieces of the element that is being read. */
  #element: Uint8Array[] | undefined;
  #place = { path: "", line: 1, column: 1 };

  constructor(path: string, field: string | undefined, unread?: UnreadFields) {
    this.#path = path;
    this.#unread = unread;
    this.#field = field;
    this.#elementDepth = field === undefined ? 1 : 2;
  }

  /**
   * Takes the next bytes; gives the elements that they end. All in one loop, as every byte of files
   * larger than memory goes through it.
   */
  push(bytes: Uint8Array): InputRecord[] {
    const records: InputRecord[] = [];
    let start = this.#element === undefined ? -1 : 0;
    const endElement = (end: number): void => {
      if (this.#element === undefined) return;
      this.#element.push(bytes.subarray(Math.max(0, start), end));
      records.push(this.#record());
      this.#element = undefined;
      start = -1;
    };
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (byte === NEWLINE) {
        this.#line++;
        this.#lineStart = this.#offset + i + 1;
      }
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#endString();
        if (this.#isInString) this.#key?.push(byte);
        continue;
      }
      // Blanks, and the byte order mark.
      if (byte <= 32 || byte >= 128) continue;
      if (this.#isOver) {
        if (this.#depth === 0) {
          const what = this.#field === undefined ? "array" : "object";
          throw this.#error(i, `Unexpected text after the ${what}`);
        }
        if (byte === QUOTE) this.#isInString = true;
        else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) this.#depth++;
        else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#depth--;
        continue;
      }
      const isSeparator = byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE;
      if (
        this.#isInside && this.#depth === this.#elementDepth && this.#element === undefined &&
        !isSeparator
      ) {
        this.#element = [];
        this.#place = this.#at(i);
        start = i;
      }
      switch (byte) {
        case QUOTE:
          this.#isInString = true;
          if (this.#depth === 1 && !this.#isInside && !this.#isValueNext) this.#key = [];
          break;
        case COLON:
          if (this.#depth === 1) this.#isValueNext = true;
          break;
        case COMMA:
          if (this.#depth === 1) this.#isValueNext = false;
          if (this.#isInside && this.#depth === this.#elementDepth) endElement(i);
          break;
        case OPEN_BRACKET:
          this.#depth++;
          if (!this.#isInside && this.#isWanted()) this.#isInside = true;
          break;
        case OPEN_BRACE:
          this.#depth++;
          break;
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          if (this.#isInside && this.#depth === this.#elementDepth) {
            endElement(i);
            this.#isOver = true;
          }
          this.#depth--;
          break;
        default:
          if (this.#depth === 0) throw this.#error(i, "Not valid JSON: expected an array");
      }
      if (this.#depth === 1 && this.#field === undefined && !this.#isInside) {
        throw this.#error(i, "Expected an array");
      }
    }
    if (this.#element !== undefined) this.#element.push(bytes.slice(Math.max(0, start)));
    this.#offset += bytes.length;
    return records;
  }

  /** @throws {DatasetError} if the array was not there, or has no end, or what it is in has none */
  end(): void {
    if (this.#isOver && this.#depth === 0) return;
    throw new DatasetError(
      this.#path,
      this.#line,
      this.#isInside
        ? `File ends before its ${this.#isOver ? "object" : "array"} does`
        : `Has no array${this.#field === undefined ? "" : ` "${this.#field}"`}`,
      this.#offset - this.#lineStart + 1,
    );
  }

  #isWanted(): boolean {
    if (this.#field === undefined) return this.#depth === 1;
    return this.#depth === 2 && this.#isValueNext && this.#name === this.#field;
  }

  #endString(): void {
    this.#isInString = false;
    if (this.#key === undefined) return;
    this.#name = new TextDecoder().decode(Uint8Array.from(this.#key));
    this.#key = undefined;
  }

  #record(): InputRecord {
    const pieces = this.#element as Uint8Array[];
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const piece of pieces) {
      bytes.set(piece, offset);
      offset += piece.length;
    }
    const text = decoded(bytes, this.#path, this.#place.line);
    return new InputRecord(text, this.#place, this.#unread);
  }

  #at(index: number): { path: string; line: number; column: number } {
    return {
      path: this.#path,
      line: this.#line,
      column: this.#offset + index - this.#lineStart + 1,
    };
  }

  #error(index: number, message: string): DatasetError {
    const { line, column } = this.#at(index);
    return new DatasetError(this.#path, line, message, column);
  }
}
