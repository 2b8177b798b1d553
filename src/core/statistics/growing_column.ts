const FIRST_PIECE = 256;
const LARGEST_PIECE = 32_768;

/** Arrays that a {@linkcode GrowingColumn} consists of. */
type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/**
 * A column of numbers that grows, in pieces: one array that doubles would need three times the
 * memory whenever it grows, and keep half of it in reserve.
 */
export class GrowingColumn<T extends Numbers> {
  readonly #make: (length: number) => T;
  #full: T[] = [];
  #fullLength = 0;
  #last: T;
  #used = 0;

  /** @param make makes an array of that length */
  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#last = make(FIRST_PIECE);
  }

  get length(): number {
    return this.#fullLength + this.#used;
  }

  /** All values in one array, into which the pieces are merged; not to be changed. */
  get values(): T {
    if (this.#full.length === 0) return this.#last.subarray(0, this.#used) as T;
    if (this.#full.length > 1 || this.#used > 0) {
      const merged = this.copy();
      this.#full = [merged];
      this.#fullLength = merged.length;
      this.#used = 0;
    }
    return this.#full[0] as T;
  }

  push(value: number): void {
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = value;
  }

  /** Appends values one after another. */
  pushAll(values: Numbers): void {
    for (let taken = 0; taken < values.length;) {
      if (this.#used === this.#last.length) this.#grow();
      const count = Math.min(values.length - taken, this.#last.length - this.#used);
      this.#last.set(values.subarray(taken, taken + count), this.#used);
      this.#used += count;
      taken += count;
    }
  }

  /** All values in an array of the caller's. */
  copy(): T {
    const copy = this.#make(this.length);
    let offset = 0;
    for (const piece of this.#pieces()) {
      copy.set(piece, offset);
      offset += piece.length;
    }
    return copy;
  }

  /**
   * All values in an array of the caller's; the column is empty afterwards. Pieces are given back
   * one by one, so that there is never a second copy of all of them.
   */
  take(): T {
    const all = this.#make(this.length);
    const pieces = this.#pieces();
    this.#full = [];
    this.#fullLength = 0;
    this.#last = this.#make(FIRST_PIECE);
    this.#used = 0;
    let offset = 0;
    for (const piece of pieces) {
      all.set(piece, offset);
      offset += piece.length;
      // Without this the memory would wait for the garbage collector.
      piece.buffer.transfer(0);
    }
    return all;
  }

  #pieces(): T[] {
    return [...this.#full, this.#last.subarray(0, this.#used) as T];
  }

  #grow(): void {
    if (this.#last.length < LARGEST_PIECE) {
      const larger = this.#make(this.#last.length * 2);
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    this.#full.push(this.#last);
    this.#fullLength += this.#used;
    this.#last = this.#make(LARGEST_PIECE);
    this.#used = 0;
  }
}
