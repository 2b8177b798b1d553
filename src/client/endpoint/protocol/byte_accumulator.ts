const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);
const MIN_BYTES = 256;

/**
 * Gathers UTF-8 text in a buffer that is kept from one use to the next. It has none before its first
 * use: of the kinds of text that a reply may bring most bring one, and streams may be thousands.
 */
export class ByteAccumulator {
  #bytes: Uint8Array<ArrayBuffer> = NOTHING;
  #length = 0;

  /** Bytes gathered. */
  get length(): number {
    return this.#length;
  }

  /** View of the gathered bytes; the next change invalidates it. */
  get view(): Uint8Array<ArrayBuffer> {
    return this.#length === 0 ? NOTHING : this.#bytes.subarray(0, this.#length);
  }

  /** Adds the bytes from `start` to `end`. */
  append(bytes: Uint8Array, start: number, end: number): void {
    const count = end - start;
    if (this.#length + count > this.#bytes.length) this.#grow(count);
    const target = this.#bytes;
    let length = this.#length;
    if (count < 32) {
      // A token is a few bytes; a loop beats the call of `set` and the view it needs.
      for (let i = start; i < end; i++) target[length++] = bytes[i] as number;
    } else {
      target.set(bytes.subarray(start, end), length);
      length += count;
    }
    this.#length = length;
  }

  /** Adds a string. */
  appendText(text: string): void {
    if (text === "") return;
    const most = text.length * 3;
    if (this.#length + most > this.#bytes.length) this.#grow(most);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Forgets what was gathered, and a buffer that one long text made unusually large. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > 65_536) this.#bytes = NOTHING;
  }

  #grow(count: number): void {
    const larger = new Uint8Array(
      Math.max(this.#length + count, this.#bytes.length * 2, MIN_BYTES),
    );
    larger.set(this.view);
    this.#bytes = larger;
  }
}
