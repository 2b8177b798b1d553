import type { ColumnSpill } from "./column_spill.ts";
import type { Codes } from "./packed_piece.ts";

/** Bytes of columns that are held as a whole while they are used: four of a million rows. */
const HELD_BYTES = 33e6;

/** Bytes of codes that stay in memory before any go into the file. */
const MEMORY_BYTES = 16e6;
/** Codes of fewer bytes always stay: a file would not be worth it. */
const MIN_BYTES = 64;

/** Codes that were kept: in memory, or where they lie in the file. */
export type KeptCodes =
  | Codes
  | { readonly offset: number; readonly length: number; readonly bytesEach: number };

/** The codes of some columns, and the columns that were asked for last. */
export class NumberStore {
  readonly #open: (() => ColumnSpill) | undefined;
  #spill: ColumnSpill | undefined;
  readonly #held = new Map<object, Float64Array<ArrayBuffer>>();

  readonly #memoryBytes: number;
  /** Bytes read last from the file. */
  #room = new ArrayBuffer(0);
  #bytes = 0;
  #isFull = false;

  /**
   * @param open opens the file, when there is something to put into it; undefined for none
   * @param memoryBytes maximum number of bytes of codes in memory
   */
  constructor(open: (() => ColumnSpill) | undefined, memoryBytes: number = MEMORY_BYTES) {
    this.#open = open;
    this.#memoryBytes = memoryBytes;
  }

  /** Keeps codes; the array may then be used for others. */
  keep(codes: Codes): KeptCodes {
    const bytes = codes.byteLength;
    if (this.#open === undefined || this.#isFull || bytes < MIN_BYTES) return codes.slice();
    if (this.#bytes + bytes <= this.#memoryBytes) {
      this.#bytes += bytes;
      return codes.slice();
    }
    try {
      this.#spill ??= this.#open();
      const offset = this.#spill.write(new Uint8Array(codes.buffer, codes.byteOffset, bytes));
      return { offset, length: codes.length, bytesEach: codes.BYTES_PER_ELEMENT };
    } catch {
      // Where the disk is full, memory may not be: what was measured is not lost for that.
      this.#isFull = true;
      return codes.slice();
    }
  }

  /** The codes that were kept; valid until others are read. */
  read(kept: KeptCodes): Codes {
    if (!("offset" in kept)) return kept;
    const { offset, length, bytesEach } = kept;
    const bytes = length * bytesEach;
    if (this.#room.byteLength < bytes) this.#room = new ArrayBuffer(bytes);
    this.#spill?.readInto(offset, new Uint8Array(this.#room, 0, bytes));
    return codesIn(this.#room, length, bytesEach);
  }

  /** Lets go of the columns that were asked for. */
  release(): void {
    this.#held.clear();
  }

  /** Closes the file: its contents can no longer be read. */
  close(): void {
    this.release();
    this.#spill?.close?.();
    this.#spill = undefined;
  }

  /** The whole of a column, made if it is not one of those that were asked for last. */
  whole(column: object, make: () => Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const held = this.#held.get(column);
    this.#held.delete(column);
    const values = held ?? make();
    this.#held.set(column, values);
    let bytes = 0;
    for (const other of this.#held.values()) bytes += other.byteLength;
    for (const [other, { byteLength }] of this.#held) {
      if (bytes <= HELD_BYTES || other === column) break;
      this.#held.delete(other);
      bytes -= byteLength;
    }
    return values;
  }
}

function codesIn(buffer: ArrayBuffer, length: number, bytesEach: number): Codes {
  if (bytesEach === 1) return new Uint8Array(buffer, 0, length);
  if (bytesEach === 2) return new Uint16Array(buffer, 0, length);
  return bytesEach === 4 ? new Uint32Array(buffer, 0, length) : new Float64Array(buffer, 0, length);
}
