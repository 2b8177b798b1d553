const encoder = new TextEncoder();
const CHUNK_BYTES = 128 * 1024;
/** No character has more bytes. */
const MAX_CHARACTER_BYTES = 4;

/**
 * A text as UTF-8 that grows at its end, in chunks that are used again: neither growing nor
 * clearing leaves garbage, which large texts would be a lot of.
 */
export class TextChunks {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  /** Bytes used of each chunk. */
  #lengths: number[] = [];
  #length = 0;

  /** Bytes of the text. */
  get length(): number {
    return this.#length;
  }

  /** Adds a piece at the end. Halves of a surrogate pair in different pieces are not joined. */
  add(text: string): void {
    let rest = text;
    while (rest !== "") {
      let last = this.#lengths.length - 1;
      if (last < 0 || (this.#lengths[last] as number) > CHUNK_BYTES - MAX_CHARACTER_BYTES) {
        last = this.#lengths.push(0) - 1;
        this.#chunks[last] ??= new Uint8Array(CHUNK_BYTES);
      }
      const used = this.#lengths[last] as number;
      const chunk = this.#chunks[last] as Uint8Array<ArrayBuffer>;
      const { read, written } = encoder.encodeInto(rest, chunk.subarray(used));
      this.#lengths[last] = used + written;
      this.#length += written;
      rest = rest.slice(read);
    }
  }

  /** The text in its order: views that clearing invalidates. */
  *[Symbol.iterator](): Generator<Uint8Array<ArrayBuffer>> {
    for (const [index, length] of this.#lengths.entries()) {
      yield (this.#chunks[index] as Uint8Array<ArrayBuffer>).subarray(0, length);
    }
  }

  /** Forgets the text, and chunks that it did not need. */
  clear(): void {
    this.#chunks.length = this.#lengths.length;
    this.#lengths = [];
    this.#length = 0;
  }
}
