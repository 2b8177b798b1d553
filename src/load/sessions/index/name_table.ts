import { textKey } from "../model/text_key.ts";

const EMPTY = -1;
const FIRST_CELLS = 1024;

/**
 * Numbers of names, and which of them belong together. A name takes 24 bytes at most: its key of 53 bits
 * is kept, not its text.
 */
export class NameTable {
  #keys = new Float64Array(FIRST_CELLS).fill(EMPTY);
  #numbers = new Int32Array(FIRST_CELLS);
  #above = new Int32Array(FIRST_CELLS / 2);
  #count = 0;

  /** Number of names. */
  get count(): number {
    return this.#count;
  }

  /** Returns the number of a name, which is added if it is new. */
  numberOf(name: string): number {
    const key = textKey(name);
    const cell = this.#cellOf(key);
    if (this.#keys[cell] === key) return this.#numbers[cell] as number;
    const number = this.#count++;
    this.#keys[cell] = key;
    this.#numbers[cell] = number;
    this.#above[number] = number;
    if (2 * this.#count >= this.#keys.length) this.#grow();
    return number;
  }

  /** Makes the names of two numbers belong together. */
  unite(a: number, b: number): void {
    const [one, other] = [this.rootOf(a), this.rootOf(b)];
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

  /** Yields the number and the key of each name. */
  *entries(): Generator<readonly [number: number, key: number]> {
    for (let cell = 0; cell < this.#keys.length; cell++) {
      const key = this.#keys[cell] as number;
      if (key !== EMPTY) yield [this.#numbers[cell] as number, key];
    }
  }

  #cellOf(key: number): number {
    const mask = this.#keys.length - 1;
    let cell = (key % 2 ** 32 ^ Math.floor(key / 2 ** 32)) & mask;
    while (this.#keys[cell] !== EMPTY && this.#keys[cell] !== key) cell = cell + 1 & mask;
    return cell;
  }

  #grow(): void {
    const [keys, numbers, above] = [this.#keys, this.#numbers, this.#above];
    this.#keys = new Float64Array(2 * keys.length).fill(EMPTY);
    this.#numbers = new Int32Array(2 * keys.length);
    this.#above = new Int32Array(keys.length);
    this.#above.set(above);
    keys.forEach((key, old) => {
      if (key === EMPTY) return;
      const cell = this.#cellOf(key);
      this.#keys[cell] = key;
      this.#numbers[cell] = numbers[old] as number;
    });
  }
}
