import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { ByteSource } from "../../dataset/formats/byte_source.ts";
import { InputRecord } from "../../dataset/formats/input_record.ts";
import type { RowFacts, RowGrouping } from "../model/row_grouping.ts";
import { RowSkimmer } from "./row_skimmer.ts";

const LINE_END = 10;
/** A power of two, for more than what is read at once. */
const FIRST_BYTES = 512 * 1024;
const decoder = new TextDecoder();

/** A row of a file: where it lies, and its facts. A scan reuses the object for the next row. */
export interface ScannedRow {
  /** Bytes before it. */
  readonly offset: number;
  readonly length: number;
  /** From 1. */
  readonly line: number;
  /** Facts of the row; undefined for a header. */
  readonly facts: RowFacts | undefined;
  /** Returns a copy of its bytes, without the line end. */
  bytes(): Uint8Array<ArrayBuffer>;
}

/**
 * Yields the rows of some lines of a file after one another: all lines that are not blank.
 * @throws {DatasetError} naming the line, if one is no JSON object or its fields are of other types
 */
export async function* scanRows(
  source: ByteSource,
  grouping: RowGrouping,
): AsyncGenerator<Iterable<ScannedRow>> {
  const scan = new RowScan(source.path, grouping);
  for await (const piece of source.bytes()) {
    if (scan.add(piece)) yield scan.rows();
  }
  scan.add(Uint8Array.of(LINE_END));
  yield scan.rows();
}

class RowScan implements ScannedRow {
  facts: RowFacts | undefined;
  line = 0;
  length = 0;
  readonly #path: string;
  readonly #grouping: RowGrouping;
  readonly #skimmer = new RowSkimmer();
  /** Bytes that are scanned: whole lines, and the beginning of another. */
  #bytes = new Uint8Array(FIRST_BYTES);
  #linesEnd = 0;
  #end = 0;
  /** Bytes of the file before these. */
  #before = 0;
  #start = 0;

  constructor(path: string, grouping: RowGrouping) {
    this.#path = path;
    this.#grouping = grouping;
  }

  get offset(): number {
    return this.#before + this.#start;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(this.#start, this.#start + this.length);
  }

  /** Adds the next bytes of the file, and returns whether they complete a line. Rows before are gone. */
  add(piece: Uint8Array): boolean {
    this.#bytes.copyWithin(0, this.#linesEnd, this.#end);
    this.#before += this.#linesEnd;
    const rest = this.#end - this.#linesEnd;
    this.#end = rest + piece.length;
    if (this.#end > this.#bytes.length) {
      const larger = new Uint8Array(2 ** Math.ceil(Math.log2(this.#end)));
      larger.set(this.#bytes.subarray(0, rest));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, rest);
    const last = piece.lastIndexOf(LINE_END);
    this.#linesEnd = last < 0 ? 0 : rest + last + 1;
    return last >= 0;
  }

  /** Yields the rows of the whole lines. */
  *rows(): Generator<ScannedRow> {
    const bytes = this.#bytes;
    const { fields } = this.#grouping;
    this.#skimmer.open(bytes, this.#linesEnd);
    for (this.#start = 0; this.#start < this.#linesEnd; this.#start += this.length + 1) {
      this.line++;
      const end = this.#skimmer.read(this.#start, fields);
      if (bytes[end] === LINE_END) {
        this.length = end - this.#start;
        this.#setFacts(this.#skimmer.value);
      } else {
        this.length = bytes.indexOf(LINE_END, this.#start) - this.#start;
        const row = bytes.subarray(this.#start, this.#start + this.length);
        if (!row.some((byte) => byte > 32)) continue;
        this.#setFacts(fields.of(this.#parsed(row)));
      }
      yield this;
    }
  }

  /** @param fields of the row that its format needs */
  #setFacts(fields: unknown): void {
    try {
      this.facts = this.#grouping.factsOf(fields as Record<string, unknown>);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new DatasetError(
        this.#path,
        this.line,
        "Has a field of another type than its format requires",
      );
    }
  }

  /** Returns the whole row, however it is written. */
  #parsed(bytes: Uint8Array): unknown {
    const text = decoder.decode(bytes);
    const record = new InputRecord(text, { path: this.#path, line: this.line, column: 1 });
    const value = record.json;
    if (typeof value === "object" && value !== null) return value;
    throw record.error("Must be an object");
  }
}
