import { FloatColumn } from "./float_column.ts";
import type { KeptValues, NumberStore } from "./number_store.ts";

const FIRST_PIECE = 256;
const PIECE = 65_536;

/** A full piece: one value all over, or its values. */
type Piece = { readonly value: number } | { readonly kept: KeptValues };

/** A growing column of any numbers. */
export interface NumberColumn {
  readonly length: number;
  /** All values in one array, not to be changed. */
  readonly values: Float64Array<ArrayBuffer>;
  /** All values in an array of the caller's. */
  copy(): Float64Array<ArrayBuffer>;
  push(value: number): void;
  /** Appends NaN until the column has that length. */
  padTo(length: number): void;
}

/** A column that puts its values into a store, or keeps them in memory where there is none. */
export function numberColumn(store: NumberStore | undefined): NumberColumn {
  return store === undefined ? new FloatColumn() : new StoredColumn(store);
}

/**
 * A growing column of numbers whose full pieces lie in a store, or are a single number where all of a
 * piece are the same.
 */
class StoredColumn implements NumberColumn {
  readonly #store: NumberStore;
  readonly #full: Piece[] = [];
  #last = new Float64Array(FIRST_PIECE);
  #used = 0;

  constructor(store: NumberStore) {
    this.#store = store;
  }

  get length(): number {
    return this.#full.length * PIECE + this.#used;
  }

  get values(): Float64Array<ArrayBuffer> {
    if (this.#full.length === 0) return this.#last.subarray(0, this.#used);
    return this.#store.whole(this, () => this.#whole());
  }

  push(value: number): void {
    if (this.#used === this.#last.length) this.#grow();
    this.#last[this.#used++] = value;
  }

  padTo(length: number): void {
    while (this.length < length) this.push(NaN);
  }

  #grow(): void {
    if (this.#last.length < PIECE) {
      const larger = new Float64Array(this.#last.length * 2);
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    const value = this.#last[0] as number;
    const piece = isAll(this.#last, value) ? { value } : { kept: this.#store.keep(this.#last) };
    this.#full.push(piece);
    this.#used = 0;
  }

  copy(): Float64Array<ArrayBuffer> {
    return this.#whole();
  }

  #whole(): Float64Array<ArrayBuffer> {
    const whole = new Float64Array(this.length);
    this.#full.forEach((piece, place) => {
      const target = whole.subarray(place * PIECE, (place + 1) * PIECE);
      if ("value" in piece) target.fill(piece.value);
      else this.#store.read(piece.kept, target);
    });
    whole.set(this.#last.subarray(0, this.#used), this.#full.length * PIECE);
    return whole;
  }
}

function isAll(values: Float64Array, value: number): boolean {
  for (let i = 0; i < values.length; i++) if (!Object.is(values[i], value)) return false;
  return true;
}
