const FIRST_BYTES = 1024;

/** A set of whole numbers from 0 that has most of those below its largest: a bit for each. */
export class NumberSet {
  #bits = new Uint8Array(FIRST_BYTES);

  add(number: number): void {
    const byte = number >>> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(byte + 1, 2 * this.#bits.length));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte] = (this.#bits[byte] as number) | 1 << (number & 7);
  }

  has(number: number): boolean {
    return ((this.#bits[number >>> 3] ?? 0) >> (number & 7) & 1) === 1;
  }
}
