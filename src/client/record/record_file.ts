/**
 * The records of a run on disk: `run/records.bin`.
 *
 * A block holds some hundred records as columns, so that a number of a record costs a byte or two
 * and a chunk's timestamp four: a streamed reply of a hundred chunks takes about 500 bytes. The
 * first line of the file names the columns; a reader finds them by name, so that files of other
 * versions with more or fewer of them can be read.
 */

import { blockFileHead, blockPieces } from "../../core/block_file/block_file.ts";
import { ByteWriter } from "../../core/block_file/byte_writer.ts";
import { writeNumbers } from "../../core/block_file/number_column.ts";
import type { FlawTexts } from "./flaw_texts.ts";
import { FIELD, RECORD_FIELD_COUNT, RECORD_FIELDS, type RecordField } from "./request_fields.ts";

/** Name of the format in the first line. */
export const RECORD_FORMAT = "inferometer-records";
/** The newest version of such a file. */
export const RECORD_VERSION = 3;

/** Most records, or chunks, of a block. */
const MAX_BLOCK_RECORDS = 1024;
const MAX_BLOCK_CHUNKS = 65_536;

/** Times that are kept as their distance to the request's start. */
const TIME_FIELDS: readonly RecordField[] = [
  ...["intendedNs", "claimedNs", "sendStartNs", "sendEndNs", "headNs", "firstBodyNs"] as const,
  ...["lastBodyNs", "endNs", "lastEventNs", "sentSyncNs"] as const,
];
/** Columns that hold times. */
export const TIME_COLUMNS: ReadonlySet<number> = new Set(
  TIME_FIELDS.map((name) => RECORD_FIELDS.indexOf(name)),
);

/** Marks a gap that is not a whole number of four bytes: the timestamp is in a separate list. */
export const LONG_GAP = 2 ** 32 - 1;
/** Bytes of a request ID that is a UUID. */
export const UUID_BYTES = 16;
const UUID_LENGTH = 36;
const DASH = 45;

/** A record as it is written and read. */
export interface StoredRecord {
  /** Numbers of the record in the order of {@linkcode RECORD_FIELDS}. */
  readonly row: Float64Array;
  /** Timestamps of the record's content chunks. */
  readonly chunkNs: Float64Array;
  readonly requestId: string;
  readonly finishReason: string | null;
  /** The reason of its failure, undefined for a valid request. */
  readonly error: string | undefined;
  /** Place and reason of the first flaw of its reply; undefined for none. */
  readonly flaw?: string | undefined;
  /** Excerpts that show the flaw; undefined except for the first flaws of a run. */
  readonly flawTexts?: FlawTexts | undefined;
}

/** Gathers records and makes blocks of them. */
export class RecordFileWriter {
  readonly #columns = RECORD_FIELDS.map(() => new Float64Array(MAX_BLOCK_RECORDS));
  #gaps = new Uint32Array(MAX_BLOCK_CHUNKS);
  readonly #block = new ByteWriter(65_536);
  #count = 0;
  #chunks = 0;
  #longGaps: number[] = [];
  #requestIds: string[] = [];
  #finishReasons: (string | null)[] = [];
  #errors: [row: number, message: string][] = [];
  #flaws: [row: number, flaw: string][] = [];
  #flawTexts: [row: number, texts: FlawTexts][] = [];

  /**
   * The beginning of the file.
   * @param run ID of the run
   */
  static head(run?: string): Uint8Array<ArrayBuffer> {
    return blockFileHead({
      format: RECORD_FORMAT,
      version: RECORD_VERSION,
      run,
      columns: RECORD_FIELDS,
    });
  }

  /** Records gathered since the last block. */
  get count(): number {
    return this.#count;
  }

  /** Whether the block should be taken before another record is added. */
  get isFull(): boolean {
    return this.#count >= MAX_BLOCK_RECORDS || this.#chunks >= MAX_BLOCK_CHUNKS;
  }

  /** Adds a record; nothing of it is kept but copies. */
  add({ row, chunkNs, requestId, finishReason, error, flaw, flawTexts }: StoredRecord): void {
    const index = this.#count++;
    for (let column = 0; column < RECORD_FIELD_COUNT; column++) {
      (this.#columns[column] as Float64Array)[index] = row[column] as number;
    }
    this.#addGaps(row[FIELD.startNs] as number, chunkNs);
    this.#requestIds.push(requestId);
    this.#finishReasons.push(finishReason);
    if (error !== undefined) this.#errors.push([index, error]);
    if (flaw !== undefined) this.#flaws.push([index, flaw]);
    if (flawTexts !== undefined) this.#flawTexts.push([index, flawTexts]);
  }

  /** Takes what was gathered, as the pieces of a block; valid until the next one is taken. */
  take(): Uint8Array<ArrayBuffer>[] {
    const block = this.#block;
    const count = this.#count;
    block.clear();
    block.varint(count);
    const starts = (this.#columns[FIELD.startNs] as Float64Array).subarray(0, count);
    const columns = this.#columns.map((values) => values.subarray(0, count));
    // A clock's times are whole and not too large: their distances lead back to the very same times.
    const areRelative = columns.every((values, column) =>
      !TIME_COLUMNS.has(column) || values.every((time, i) => isExact(starts[i] as number, time))
    );
    block.uint8(areRelative ? 1 : 0);
    columns.forEach((values, column) => {
      const isTime = areRelative && TIME_COLUMNS.has(column);
      writeNumbers(block, isTime ? distances(starts, values) : values);
    });
    block.varint(this.#chunks);
    block.bytes(new Uint8Array(this.#gaps.buffer, 0, this.#chunks * this.#gaps.BYTES_PER_ELEMENT));
    block.varint(this.#longGaps.length);
    for (const gap of this.#longGaps) block.float64(gap);
    this.#writeIds(block);
    block.text(JSON.stringify({
      finishReasons: this.#finishReasonIndex(),
      errors: this.#errors,
      ...(this.#flaws.length === 0 ? {} : { flaws: this.#flaws }),
      ...(this.#flawTexts.length === 0 ? {} : { flawTexts: this.#flawTexts }),
    }));
    this.#count = 0;
    this.#chunks = 0;
    this.#longGaps = [];
    this.#requestIds = [];
    this.#finishReasons = [];
    this.#errors = [];
    this.#flaws = [];
    this.#flawTexts = [];
    return blockPieces(block.written);
  }

  #addGaps(startNs: number, chunkNs: Float64Array): void {
    const first = this.#chunks;
    this.#chunks += chunkNs.length;
    if (this.#chunks > this.#gaps.length) {
      const longer = new Uint32Array(Math.max(this.#chunks, this.#gaps.length * 2));
      longer.set(this.#gaps.subarray(0, first));
      this.#gaps = longer;
    }
    const gaps = this.#gaps;
    let beforeNs = startNs;
    for (let i = 0; i < chunkNs.length; i++) {
      const stampNs = chunkNs[i] as number;
      const gapNs = stampNs - beforeNs;
      const stored = gapNs >>> 0;
      beforeNs = stampNs;
      // A whole number of four bytes that leads back to the very same stamp.
      if (stored === gapNs && stored !== LONG_GAP && Number.isInteger(stampNs)) {
        gaps[first + i] = stored;
      } else {
        gaps[first + i] = LONG_GAP;
        this.#longGaps.push(stampNs);
      }
    }
  }

  #writeIds(block: ByteWriter): void {
    const uuids = new Uint8Array(this.#requestIds.length * UUID_BYTES);
    const areUuids = this.#requestIds.every((id, row) => putUuid(id, uuids, row * UUID_BYTES));
    block.uint8(areUuids ? 1 : 0);
    if (areUuids) block.bytes(uuids);
    else block.text(JSON.stringify(this.#requestIds));
  }

  /** Returns the distinct reasons, and for each record the index of its reason. */
  #finishReasonIndex(): { names: (string | null)[]; places: number[] | number } {
    const names = [...new Set(this.#finishReasons)];
    if (names.length === 1) return { names, places: 0 };
    return { names, places: this.#finishReasons.map((reason) => names.indexOf(reason)) };
  }
}

/** Writes the bytes of a UUID; false if the ID is not a UUID in lower case. */
function putUuid(id: string, bytes: Uint8Array, start: number): boolean {
  if (id.length !== UUID_LENGTH) return false;
  let place = start;
  for (let at = 0; at < UUID_LENGTH; at += 2) {
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (id.charCodeAt(at++) !== DASH) return false;
    }
    const high = hexDigit(id.charCodeAt(at));
    const low = hexDigit(id.charCodeAt(at + 1));
    if (high < 0 || low < 0) return false;
    bytes[place++] = 16 * high + low;
  }
  return true;
}

/** Returns the value of a hexadecimal digit in lower case; -1 for any other character. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}

function distances(starts: Float64Array, times: Float64Array): Float64Array {
  return times.map((time, i) => time - startOf(starts[i] as number));
}

/** Whether a time's distance from the start leads back to it, bit by bit. */
function isExact(startNs: number, time: number): boolean {
  const start = startOf(startNs);
  return Object.is(time - start + start, time);
}

/** A request that never started keeps its times as they are. */
export function startOf(startNs: number): number {
  return Number.isNaN(startNs) ? 0 : startNs;
}
