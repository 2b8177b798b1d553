/**
 * The values of one series, row by row of its endpoint's scrapes, stored only as changes.
 *
 * Most values of a metrics endpoint stay unchanged from one scrape to the next, and most of the
 * others are counters that grow by small whole numbers. An unchanged value costs nothing here; a
 * whole step costs two or three bytes, any other value ten. That is what lets a day of three
 * endpoints with thousands of series fit into memory.
 *
 * What does not fit, because every value of every series changes, is spilled to a file in pieces
 * ({@linkcode ValueColumn.spill}) and read back when the values are iterated.
 *
 * Entries in the byte buffer: a varint `rows since the last entry * 4 + kind`, then for kind
 * {@linkcode STEP} the zigzag varint of a whole difference, for {@linkcode RAW} eight bytes, for
 * {@linkcode ABSENT} nothing. An entry applies from its row until the next entry.
 */

import type { ColumnSpill } from "../../core/statistics/column_spill.ts";

const STEP = 0;
const RAW = 1;
const ABSENT = 2;

const MAX_ENTRY_BYTES = 16;
/** Less is left in memory: a piece costs some bytes itself, and a read of the file. */
const MIN_SPILLED_BYTES = 256;
/** Shared by the columns of values that never changed. */
const NO_BYTES = new Uint8Array(0);
/** Differences below this fit a varint whose arithmetic stays exact. */
const MAX_STEP = 2 ** 48;

/** A value that held for rows in a row. */
export interface ValueRun {
  readonly startRow: number;
  /** The row after the last one. */
  readonly endRow: number;
  readonly value: number;
}

/** See the module's comment. */
export class ValueColumn {
  #bytes = NO_BYTES;
  #length = 0;
  /** Pieces that were spilled, in their order, before the bytes in memory. */
  #spilled: { readonly to: ColumnSpill; readonly offset: number; readonly length: number }[] = [];
  /** Row of the last entry written. */
  #entryRow = -1;
  /** Row whose value may still be replaced; its entry is not written yet. */
  #lastRow = -1;
  #lastValue = NaN;
  /** State before `lastRow`; the next entry's steps count from it. */
  #heldValue = 0;
  #held = false;

  /** The last row that has a value, -1 for none. */
  get lastRow(): number {
    return this.#lastRow;
  }

  /** The value of that row; NaN for none. */
  get lastValue(): number {
    return this.#lastValue;
  }

  /** Bytes of memory that the changes use. */
  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Moves what is in memory to a file, if it is worth a piece of it. */
  spill(to: ColumnSpill): void {
    if (this.#length < MIN_SPILLED_BYTES) return;
    const offset = to.write(this.#bytes.subarray(0, this.#length));
    this.#spilled.push({ to, offset, length: this.#length });
    this.#bytes = NO_BYTES;
    this.#length = 0;
  }

  /**
   * Sets the value of a row. Rows come in ascending order; rows left out have no value; the last
   * one may be set again.
   */
  set(row: number, value: number): void {
    if (row !== this.#lastRow) {
      if (this.#lastRow >= 0) this.#commit();
      if (row !== this.#lastRow + 1 && this.#held) this.#write(this.#lastRow + 1, ABSENT, 0);
      this.#lastRow = row;
    }
    this.#lastValue = value;
  }

  /** The runs of values, in the order of their rows. */
  *runs(): Generator<ValueRun> {
    const bytes = this.#allBytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let position = 0;
    let startRow = -1;
    let row = 0;
    let value = 0;
    let present = false;
    let first = true;
    const varint = (): number => {
      let result = 0;
      let factor = 1;
      for (;;) {
        const byte = bytes[position++] as number;
        result += (byte & 127) * factor;
        if (byte < 128) return result;
        factor *= 128;
      }
    };
    while (position < bytes.length) {
      const header = varint();
      const kind = header % 4;
      row = (first ? -1 : row) + (header - kind) / 4;
      first = false;
      if (present) yield { startRow, endRow: row, value };
      present = kind !== ABSENT;
      if (kind === STEP) value += unzigzag(varint());
      else if (kind === RAW) {
        value = view.getFloat64(position);
        position += 8;
      }
      startRow = row;
    }
    if (this.#lastRow < 0) return;
    // The last row's own value is not written yet.
    const sameRun = present && this.#held && Object.is(value, this.#lastValue);
    if (sameRun) yield { startRow, endRow: this.#lastRow + 1, value };
    else {
      if (present && startRow < this.#lastRow) yield { startRow, endRow: this.#lastRow, value };
      yield { startRow: this.#lastRow, endRow: this.#lastRow + 1, value: this.#lastValue };
    }
  }

  /** All entries, what was spilled included. */
  #allBytes(): Uint8Array<ArrayBuffer> {
    const inMemory = this.#bytes.subarray(0, this.#length);
    if (this.#spilled.length === 0) return inMemory;
    const spilledLength = this.#spilled.reduce((sum, { length }) => sum + length, 0);
    const all = new Uint8Array(spilledLength + this.#length);
    let end = 0;
    for (const { to, offset, length } of this.#spilled) {
      to.readInto(offset, all.subarray(end, end + length));
      end += length;
    }
    all.set(inMemory, end);
    return all;
  }

  /** Writes the entry of the last row, if its value is another than the one before it. */
  #commit(): void {
    const value = this.#lastValue;
    if (this.#held && Object.is(value, this.#heldValue)) return;
    const step = value - this.#heldValue;
    const whole = Number.isInteger(step) && Math.abs(step) < MAX_STEP &&
      Object.is(this.#heldValue + step, value);
    this.#write(this.#lastRow, whole ? STEP : RAW, whole ? step : value);
    this.#heldValue = value;
    this.#held = true;
  }

  #write(row: number, kind: number, value: number): void {
    if (this.#length + MAX_ENTRY_BYTES > this.#bytes.length) this.#grow();
    this.#varint((row - this.#entryRow) * 4 + kind);
    this.#entryRow = row;
    if (kind === STEP) this.#varint(zigzag(value));
    else if (kind === RAW) {
      new DataView(this.#bytes.buffer).setFloat64(this.#length, value);
      this.#length += 8;
    } else this.#held = false;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = rest % 128 + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #grow(): void {
    const bytes = new Uint8Array(Math.ceil(this.#bytes.length * 1.5) + MAX_ENTRY_BYTES);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** Whole numbers of both signs as small ones without sign. */
function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
