import { packed, type PackedPiece } from "./packed_piece.ts";

const FIRST_PIECE = 256;
/** Short enough that the times of requests in it lie close together. */
const LARGEST_PIECE = 8192;

/**
 * A growing column of any numbers. Full pieces of it are packed: of a million requests, most columns
 * say the same in each row, and the others are nanoseconds that need half of a number's bytes.
 */
export class FloatColumn {
  #full: PackedPiece[] = [];
  #fullLength = 0;
  /** All full pieces as numbers, once they were requested. */
  #merged = new Float64Array(0);
  #last = new Float64Array(FIRST_PIECE);
  #used = 0;

  get length(): number {
    return this.#merged.length + this.#fullLength + this.#used;
  }

  /** All values in one array, which the column keeps; callers must not change it. */
  get values(): Float64Array<ArrayBuffer> {
    if (this.#fullLength > 0 || this.#used > 0) {
      this.#merged = this.copy();
      this.#full = [];
      this.#fullLength = 0;
      this.#used = 0;
    }
    return this.#merged;
  }

  push(value: number): void {
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = value;
  }

  /** Appends NaN until the column has that length. */
  padTo(length: number): void {
    while (this.length < length) this.push(NaN);
  }

  /** All values in an array of the caller's; the column stays packed. */
  copy(): Float64Array<ArrayBuffer> {
    const copy = new Float64Array(this.length);
    copy.set(this.#merged);
    let offset = this.#merged.length;
    for (const piece of this.#full) {
      piece.unpack(piece.codes, copy.subarray(offset, offset + piece.length));
      offset += piece.length;
    }
    copy.set(this.#last.subarray(0, this.#used), offset);
    return copy;
  }

  /** All values in an array of the caller's; the column is empty afterwards. */
  take(): Float64Array<ArrayBuffer> {
    const all = this.copy();
    this.#merged = new Float64Array(0);
    this.#full = [];
    this.#fullLength = 0;
    this.#last = new Float64Array(FIRST_PIECE);
    this.#used = 0;
    return all;
  }

  #grow(): void {
    if (this.#last.length < LARGEST_PIECE) {
      const larger = new Float64Array(this.#last.length * 2);
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    const piece = packed(this.#last);
    this.#full.push({ ...piece, codes: piece.codes.slice() });
    this.#fullLength += this.#used;
    this.#used = 0;
  }
}
