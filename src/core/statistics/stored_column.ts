import type { KeptCodes, NumberStore } from "./number_store.ts";
import { packed, packedSame, type Unpack } from "./packed_piece.ts";

const FIRST_PIECE = 256;
/** Short enough that the times of requests in it lie close together. */
const PIECE = 8192;

/**
 * A growing column of any numbers. Its full pieces are packed and kept in a store, which may write
 * them to a file. For a million requests, most columns have one value in all rows; the others are
 * nanoseconds that need half of a number's bytes.
 */
export class StoredColumn {
  readonly #store: NumberStore;
  readonly #full: { readonly kept: KeptCodes; readonly unpack: Unpack }[] = [];
  #last = new Float64Array(FIRST_PIECE);
  #used = 0;
  /**
   * Values of the last piece, all {@linkcode #same}, that are not written yet: while a column
   * repeats one value, none need to be written.
   */
  #unwritten = 0;
  #same = NaN;

  constructor(store: NumberStore) {
    this.#store = store;
  }

  get length(): number {
    return this.#full.length * PIECE + this.#used;
  }

  /** All values in one array, not to be changed. */
  get values(): Float64Array<ArrayBuffer> {
    if (this.#full.length > 0) return this.#store.whole(this, () => this.copy());
    this.#write();
    return this.#last.subarray(0, this.#used);
  }

  push(value: number): void {
    if (this.#unwritten > 0) this.#write();
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = value;
  }

  /** Appends values one after another. */
  pushAll(values: Float64Array): void {
    if (this.#unwritten > 0) this.#write();
    for (let taken = 0; taken < values.length;) {
      if (this.#used === this.#last.length) this.#grow();
      const count = Math.min(values.length - taken, this.#last.length - this.#used);
      this.#last.set(values.subarray(taken, taken + count), this.#used);
      this.#used += count;
      taken += count;
    }
  }

  /** Appends one value a number of times. */
  pushSame(value: number, count: number): void {
    if (this.#unwritten > 0 && !Object.is(value, this.#same)) this.#write();
    for (let left = count; left > 0;) {
      // The piece may come to hold nothing else.
      if (this.#used === PIECE) this.#grow();
      const own = Math.min(left, PIECE - this.#used);
      this.#same = value;
      this.#unwritten += own;
      this.#used += own;
      left -= own;
    }
  }

  /** Appends NaN until the column has that length. */
  padTo(length: number): void {
    this.pushSame(NaN, length - this.length);
  }

  /** All values in an array of the caller's. */
  copy(): Float64Array<ArrayBuffer> {
    const copy = new Float64Array(this.length);
    this.copyInto(copy);
    return copy;
  }

  /** Puts all values at the beginning of an array. */
  copyInto(target: Float64Array): void {
    this.#full.forEach(({ kept, unpack }, place) =>
      unpack(this.#store.read(kept), target.subarray(place * PIECE, (place + 1) * PIECE))
    );
    this.#write();
    target.set(this.#last.subarray(0, this.#used), this.#full.length * PIECE);
  }

  /** Writes what is not written yet. */
  #write(): void {
    if (this.#unwritten === 0) return;
    const written = this.#used - this.#unwritten;
    if (this.#used > this.#last.length) {
      let length = this.#last.length;
      while (length < this.#used) length *= 2;
      const larger = new Float64Array(length);
      larger.set(this.#last.subarray(0, written));
      this.#last = larger;
    }
    this.#last.fill(this.#same, written, this.#used);
    this.#unwritten = 0;
  }

  #grow(): void {
    if (this.#unwritten === PIECE) {
      this.#keep(packedSame(this.#same, PIECE));
      this.#unwritten = 0;
      return;
    }
    this.#write();
    if (this.#last.length < PIECE) {
      const larger = new Float64Array(this.#last.length * 2);
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    this.#keep(packed(this.#last));
  }

  #keep({ codes, unpack }: ReturnType<typeof packed>): void {
    this.#full.push({ kept: this.#store.keep(codes), unpack });
    this.#used = 0;
  }
}
