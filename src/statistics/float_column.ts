const FIRST_PIECE = 256;
const LARGEST_PIECE = 32_768;

/**
 * A column of numbers that grows, in pieces: one array that doubles would need three times the
 * memory whenever it grows, and keep half of it in reserve.
 */
export class FloatColumn {
  #full: Float64Array<ArrayBuffer>[] = [];
  #fullLength = 0;
  #last = new Float64Array(FIRST_PIECE);
  #used = 0;

  get length(): number {
    return this.#fullLength + this.#used;
  }

  /** All values in one array, into which the pieces are merged; not to be changed. */
  get values(): Float64Array<ArrayBuffer> {
    if (this.#full.length === 0) return this.#last.subarray(0, this.#used);
    if (this.#full.length > 1 || this.#used > 0) {
      const merged = this.#copy();
      this.#full = [merged];
      this.#fullLength = merged.length;
      this.#used = 0;
    }
    return this.#full[0] as Float64Array<ArrayBuffer>;
  }

  /** A sorted copy of the values. */
  sorted(): Float64Array<ArrayBuffer> {
    return this.#copy().sort();
  }

  /**
   * The values, sorted, in an array of the caller's; the column is empty afterwards. Pieces are
   * given back one by one, so that there is never a second copy of all of them.
   */
  takeSorted(): Float64Array<ArrayBuffer> {
    const all = new Float64Array(this.length);
    const pieces = [...this.#full, this.#last.subarray(0, this.#used)];
    this.#full = [];
    this.#fullLength = 0;
    this.#last = new Float64Array(FIRST_PIECE);
    this.#used = 0;
    let offset = 0;
    for (const piece of pieces) {
      all.set(piece, offset);
      offset += piece.length;
      // Without this the memory would wait for the garbage collector.
      piece.buffer.transfer(0);
    }
    return all.sort();
  }

  push(value: number): void {
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = value;
  }

  /** Appends NaN until the column has that length. */
  padTo(length: number): void {
    while (this.length < length) this.push(NaN);
  }

  #copy(): Float64Array<ArrayBuffer> {
    const copy = new Float64Array(this.length);
    let offset = 0;
    for (const piece of [...this.#full, this.#last.subarray(0, this.#used)]) {
      copy.set(piece, offset);
      offset += piece.length;
    }
    return copy;
  }

  #grow(): void {
    if (this.#last.length < LARGEST_PIECE) {
      const larger = new Float64Array(this.#last.length * 2);
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    this.#full.push(this.#last);
    this.#fullLength += this.#used;
    this.#last = new Float64Array(LARGEST_PIECE);
    this.#used = 0;
  }
}
