import type { ByteReader } from "../../core/block_file/byte_reader.ts";
import { readNumbersInto, skipNumbers } from "../../core/block_file/number_column.ts";
import { BlockTexts } from "./block_texts.ts";
import type { FlawTexts } from "./flaw_texts.ts";
import { LONG_GAP, startOf, TIME_COLUMNS } from "./record_file.ts";
import type { RecordRows, RecordTexts } from "./record_rows.ts";
import { FIELD, RECORD_FIELD, RECORD_FIELD_COUNT } from "./request_fields.ts";

/** Upper limit of records per block: a block with a larger count is damaged. */
const MAX_COUNT = 1 << 20;
const FIRST_CAPACITY = 1024;

/**
 * The records of a block, column by column. One batch is filled with one block after another: what
 * it gives is valid until the next.
 */
export class RecordBatch implements RecordRows {
  /** Values of each of `RECORD_FIELDS`; as many as {@linkcode count} are of this block. */
  readonly columns: Float64Array[] = [];
  /** Timestamps of the content chunks of all records, in the order of the records. */
  stampNs: Float64Array = new Float64Array(0);
  /** Start of each record's timestamps; the start of the next record is their end. */
  stampStarts: Uint32Array = new Uint32Array(0);
  #count = 0;
  /** The one value that a column holds all over; undefined if it does not. */
  readonly #held: (number | undefined)[] = [];
  #capacity = 0;
  #texts: RecordTexts | undefined;
  /** Buffer from which each block is built. */
  #zeros = new Float64Array(0);
  #gaps = new Uint32Array(0);
  /** The last place among the records, where the file does not say them. */
  #takenNs = -Infinity;

  /** Records in it. */
  get count(): number {
    return this.#count;
  }

  /** The texts of the batch's records, which stay valid when the batch is refilled. */
  get texts(): RecordTexts {
    return this.#texts as RecordTexts;
  }

  same(column: number): number | undefined {
    return this.#held[column];
  }

  /** Replaces the values of a column by ones computed from the present values. */
  overwrite(column: number, valueOf: (at: number, before: number) => number): void {
    const values = this.columns[column] as Float64Array;
    for (let at = 0; at < this.#count; at++) values[at] = valueOf(at, values[at] as number);
    this.#held[column] = undefined;
  }

  requestId(at: number): string {
    return this.texts.requestId(at);
  }

  finishReason(at: number): string | null {
    return this.texts.finishReason(at);
  }

  error(at: number): string | undefined {
    return this.texts.error(at);
  }

  flaw(at: number): string | undefined {
    return this.texts.flaw(at);
  }

  flawTexts(at: number): FlawTexts | undefined {
    return this.texts.flawTexts(at);
  }

  /**
   * Fills the batch with a block.
   * @param columns our columns of the file's columns, undefined for those that are left out
   * @param shiftNs is added to every time
   * @throws {RangeError} if the block is damaged
   */
  fill(block: ByteReader, columns: readonly (number | undefined)[], shiftNs: number): void {
    const count = block.varint();
    if (count > MAX_COUNT) throw new RangeError(`A block of ${count} records is damaged`);
    this.#reserve(count);
    this.#count = count;
    const areRelative = block.uint8() === 1;
    for (const column of columns) {
      if (column === undefined) {
        skipNumbers(block, count);
        continue;
      }
      const values = this.columns[column] as Float64Array;
      this.#held[column] = readNumbersInto(block, values, count, this.#held[column]);
    }
    const starts = this.columns[FIELD.startNs] as Float64Array;
    if (areRelative) this.#addStarts(starts);
    this.#readStamps(block, starts);
    this.#texts = new BlockTexts(block, count);
    this.#place();
    if (shiftNs !== 0) this.#shift(shiftNs);
  }

  #reserve(count: number): void {
    if (count <= this.#capacity) return;
    this.#capacity = Math.max(count, FIRST_CAPACITY);
    for (let column = 0; column < RECORD_FIELD_COUNT; column++) {
      this.columns[column] = new Float64Array(this.#capacity).fill(NaN);
      this.#held[column] = NaN;
    }
    this.stampStarts = new Uint32Array(this.#capacity + 1);
  }

  /** Makes times of distances to the start; a request that never started has times as they are. */
  #addStarts(starts: Float64Array): void {
    const count = this.#count;
    if (this.#zeros.length < count) this.#zeros = new Float64Array(count);
    const zeros = this.#zeros;
    for (let i = 0; i < count; i++) zeros[i] = startOf(starts[i] as number);
    for (const column of TIME_COLUMNS) {
      const held = this.#held[column];
      if (Number.isNaN(held)) continue;
      this.#held[column] = undefined;
      addAll(this.columns[column] as Float64Array, zeros, count);
    }
  }

  #readStamps(block: ByteReader, starts: Float64Array): void {
    const gapCount = block.varint();
    if (gapCount * 4 > block.left) throw new RangeError("A block has fewer chunks than it says");
    if (gapCount > this.#gaps.length) this.#gaps = new Uint32Array(gapCount);
    const gaps = this.#gaps.subarray(0, gapCount);
    block.bytesInto(new Uint8Array(gaps.buffer), gapCount * 4);
    const longGaps = Float64Array.from({ length: block.varint() }, () => block.float64());
    if (gaps.length > this.stampNs.length) this.stampNs = new Float64Array(gaps.length);
    const chunkCounts = this.columns[FIELD.chunkCount] as Float64Array;
    const { stampNs, stampStarts } = this;
    let chunk = 0;
    let longGap = 0;
    for (let i = 0; i < this.#count; i++) {
      stampStarts[i] = chunk;
      const end = chunk + ((chunkCounts[i] as number) || 0);
      if (end > gaps.length) throw new RangeError("A block has fewer chunks than its records");
      let beforeNs = starts[i] as number;
      for (; chunk < end; chunk++) {
        const gapNs = gaps[chunk] as number;
        beforeNs = gapNs === LONG_GAP ? longGaps[longGap++] as number : beforeNs + gapNs;
        stampNs[chunk] = beforeNs;
      }
    }
    stampStarts[this.#count] = chunk;
  }

  /** Finds the places of records in files of versions that do not say them. */
  #place(): void {
    const taken = this.columns[RECORD_FIELD.takenNs] as Float64Array;
    const ends = this.columns[FIELD.endNs] as Float64Array;
    for (let i = 0; i < this.#count; i++) {
      if (Number.isNaN(taken[i])) {
        taken[i] = nextPlace(this.#takenNs, ends[i] as number);
        this.#held[RECORD_FIELD.takenNs] = undefined;
      }
      this.#takenNs = taken[i] as number;
    }
  }

  #shift(shiftNs: number): void {
    for (const column of [...TIME_COLUMNS, FIELD.startNs, RECORD_FIELD.takenNs]) {
      if (Number.isNaN(this.#held[column])) continue;
      this.#held[column] = undefined;
      const times = this.columns[column] as Float64Array;
      for (let i = 0; i < this.#count; i++) times[i] = (times[i] as number) + shiftNs;
    }
    const chunks = this.stampStarts[this.#count] as number;
    for (let i = 0; i < chunks; i++) this.stampNs[i] = (this.stampNs[i] as number) + shiftNs;
  }
}

function addAll(times: Float64Array, zeros: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) times[i] = (times[i] as number) + (zeros[i] as number);
}

/**
 * The place of a record behind another one: the time of its end, or one nanosecond more than the
 * other's place. So places ascend, and those of several processes that share a run can be compared.
 * @param beforeNs place of the record before; `-Infinity` for the first
 */
export function nextPlace(beforeNs: number, endNs: number): number {
  if (endNs > beforeNs) return endNs;
  return beforeNs === -Infinity ? 0 : beforeNs + 1;
}
