import { joinBytes } from "../../../client/http/join_bytes.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { ByteSource } from "../../dataset/formats/byte_source.ts";
import { InputRecord } from "../../dataset/formats/input_record.ts";
import type { RowFacts, RowGrouping } from "../model/row_grouping.ts";
import { blanksEnd } from "./json_end.ts";
import { RowSkimmer } from "./row_skimmer.ts";

const LINE_END = 10;
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
  let rest: Uint8Array[] = [];
  for await (const piece of source.bytes()) {
    const end = piece.lastIndexOf(LINE_END) + 1;
    if (end === 0) {
      rest.push(piece);
      continue;
    }
    yield scan.rows(joinBytes([...rest, piece.subarray(0, end)]));
    rest = end < piece.length ? [piece.slice(end)] : [];
  }
  yield scan.rows(joinBytes([...rest, Uint8Array.of(LINE_END)]));
}

class RowScan implements ScannedRow {
  facts: RowFacts | undefined;
  line = 0;
  length = 0;
  readonly #path: string;
  readonly #grouping: RowGrouping;
  readonly #skimmer = new RowSkimmer();
  /** Lines that are scanned, and the bytes before them. */
  #lines = new Uint8Array(0);
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
    return this.#lines.slice(this.#start, this.#start + this.length);
  }

  /** @param lines each with its end */
  *rows(lines: Uint8Array<ArrayBuffer>): Generator<ScannedRow> {
    this.#before += this.#lines.length;
    this.#lines = lines;
    this.#skimmer.open(lines);
    const { fields } = this.#grouping;
    for (this.#start = 0; this.#start < lines.length; this.#start += this.length + 1) {
      this.line++;
      const first = blanksEnd(lines, this.#start);
      const valueEnd = this.#skimmer.read(first, fields);
      const end = valueEnd < 0 ? -1 : blanksEnd(lines, valueEnd);
      if (lines[end] === LINE_END) {
        this.length = end - this.#start;
        this.#setFacts(this.#skimmer.value);
      } else {
        this.length = lines.indexOf(LINE_END, this.#start) - this.#start;
        const bytes = lines.subarray(this.#start, this.#start + this.length);
        if (!bytes.some((byte) => byte > 32)) continue;
        this.#setFacts(fields.of(this.#parsed(bytes)));
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
