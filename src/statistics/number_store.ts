import type { ColumnSpill } from "./column_spill.ts";

/** Columns that are held as a whole while they are used. */
const MAX_HELD = 4;

/** Bytes of values that stay in memory before any go into the file. */
const MEMORY_BYTES = 300e6;

/** Values that were kept: in memory, or where they lie in the file. */
export type KeptValues = Float64Array<ArrayBuffer> | { readonly offset: number };

/** The values of some columns, and the columns that were asked for last. */
export class NumberStore {
  readonly #open: () => ColumnSpill;
  #spill: ColumnSpill | undefined;
  readonly #held = new Map<object, Float64Array<ArrayBuffer>>();

  readonly #memoryBytes: number;
  #bytes = 0;

  /**
   * @param open opens the file, when there is something to put into it
   * @param memoryBytes so many bytes of values stay in memory
   */
  constructor(open: () => ColumnSpill, memoryBytes: number = MEMORY_BYTES) {
    this.#open = open;
    this.#memoryBytes = memoryBytes;
  }

  /** Keeps a copy of values. */
  keep(values: Float64Array<ArrayBuffer>): KeptValues {
    if (this.#bytes < this.#memoryBytes) {
      this.#bytes += values.byteLength;
      return values.slice();
    }
    this.#spill ??= this.#open();
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return { offset: this.#spill.write(bytes) };
  }

  /** Fills an array with values that were kept. */
  read(kept: KeptValues, values: Float64Array): void {
    if (!("offset" in kept)) return values.set(kept);
    const bytes = this.#spill?.read(kept.offset, values.byteLength) as Uint8Array<ArrayBuffer>;
    values.set(new Float64Array(bytes.buffer));
  }

  /** Lets go of the columns that were asked for. */
  release(): void {
    this.#held.clear();
  }

  /** The whole of a column, made if it is not one of those that were asked for last. */
  whole(column: object, make: () => Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const held = this.#held.get(column);
    this.#held.delete(column);
    const values = held ?? make();
    this.#held.set(column, values);
    if (this.#held.size > MAX_HELD) this.#held.delete(this.#held.keys().next().value as object);
    return values;
  }
}
