import { textKey } from "../model/text_key.ts";

const EMPTY = -1;
const FIRST_CELLS = 1024;

/**
 * Numbers of names, and which of them belong together. A name takes 20 to 40 bytes: its key of 53 bits
 * is kept, not its text.
 */
export class NameTable {
  /** Numbers by keys. They take less room than keys, which would be further apart in memory. */
  #cells = new Int32Array(FIRST_CELLS).fill(EMPTY);
  #keys = new Float64Array(FIRST_CELLS / 2);
  #above = new Int32Array(FIRST_CELLS / 2);
  #count = 0;

  /** Number of names. */
  get count(): number {
    return this.#count;
  }

  /** Keys of the names by their numbers. */
  get keys(): Float64Array {
    return this.#keys.subarray(0, this.#count);
  }

  /** Returns the number of a name, which is added if it is new. */
  numberOf(name: string): number {
    const key = textKey(name);
    const cells = this.#cells;
    const mask = cells.length - 1;
    // The lower half of a key depends on all of its text.
    let cell = key & mask;
    for (let number = cells[cell] as number; number !== EMPTY; number = cells[cell] as number) {
      if (this.#keys[number] === key) return number;
      cell = cell + 1 & mask;
    }
    const number = this.#count++;
    cells[cell] = number;
    this.#keys[number] = key;
    this.#above[number] = number;
    if (this.#count === this.#keys.length) this.#grow();
    return number;
  }

  /** Makes the names of two numbers belong together. */
  unite(a: number, b: number): void {
    const one = this.rootOf(a);
    const other = this.rootOf(b);
    this.#above[Math.max(one, other)] = Math.min(one, other);
  }

  /** Returns the smallest number of those that belong together. */
  rootOf(number: number): number {
    let at = number;
    for (let up = this.#above[at] as number; up !== at; up = this.#above[at] as number) {
      // Halves the way for the next one.
      this.#above[at] = this.#above[up] as number;
      at = up;
    }
    return at;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#count);
    const above = new Int32Array(2 * this.#count);
    const cells = new Int32Array(4 * this.#count).fill(EMPTY);
    keys.set(this.#keys);
    above.set(this.#above);
    const mask = cells.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let cell = (keys[number] as number) & mask;
      while (cells[cell] !== EMPTY) cell = cell + 1 & mask;
      cells[cell] = number;
    }
    this.#keys = keys;
    this.#above = above;
    this.#cells = cells;
  }
}
