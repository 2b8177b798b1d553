/** Smallest size of a buffer. */
const MIN_BYTES = 64 * 1024;

/**
 * Gathers the bytes of one page after another. It grows in its place, so that a page costs what it
 * is long, however small the pieces are that it comes in, and is used again, so that a large page
 * leaves no garbage at every scrape.
 */
export class PageBuffer {
  readonly maxBytes: number;
  /** A view without a length of its own follows its buffer. */
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** @param maxBytes most bytes of a page */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#bytes = new Uint8Array(
      new ArrayBuffer(Math.min(MIN_BYTES, maxBytes), { maxByteLength: maxBytes }),
    );
  }

  /** Bytes gathered. */
  get length(): number {
    return this.#length;
  }

  /** The gathered bytes: a view that the next change invalidates. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds the bytes from `start` to `end`; returns whether they fitted. */
  append(bytes: Uint8Array, start: number, end: number): boolean {
    const length = this.#length + end - start;
    if (length > this.maxBytes) return false;
    if (length > this.#bytes.length) this.#resize(Math.max(length, 2 * this.#length));
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length = length;
    return true;
  }

  /** Forgets what was gathered, and room that the last page did not need. */
  clear(): void {
    if (4 * this.#length < this.#bytes.length) this.#resize(2 * this.#length);
    this.#length = 0;
  }

  #resize(wanted: number): void {
    this.#bytes.buffer.resize(Math.min(this.maxBytes, Math.max(MIN_BYTES, wanted)));
  }
}
