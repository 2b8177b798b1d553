const FRONT_FACTOR = 0x9e3779b1;
const BACK_FACTOR = 0x85ebca6b;

/**
 * The tokens of a byte-pair vocabulary and their ranks, looked up by bytes.
 *
 * Tokens lie in one array and a hash table of their ranks over it: it is ready in a few
 * milliseconds, where a `Map` of 200,000 strings takes a hundred and 30 MB.
 */
export class TokenVocabulary {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  /** Rank + 1 at the hash of each token, 0 where there is none; collisions move on by one. */
  readonly #table: Int32Array;
  readonly #mask: number;

  /** @param file the format that `scripts/build_vocabulary.ts` writes */
  constructor(file: Uint8Array) {
    const count = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
    this.#bytes = file.subarray(4 + count);
    this.#offsets = new Uint32Array(count + 1);
    let size = 1;
    while (size < count * 2) size *= 2;
    this.#table = new Int32Array(size);
    this.#mask = size - 1;
    // Locals: this loop runs before the compiler has had time to look at it.
    const bytes = this.#bytes;
    const table = this.#table;
    const offsets = this.#offsets;
    const mask = this.#mask;
    let offset = 0;
    for (let rank = 0; rank < count; rank++) {
      offsets[rank] = offset;
      const length = file[4 + rank] as number;
      let slot = hash(bytes, offset, length) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = rank + 1;
      offset += length;
    }
    this.#offsets[count] = offset;
  }

  /** Number of tokens. */
  get size(): number {
    return this.#offsets.length - 1;
  }

  /** The bytes of the token of a rank. */
  bytesOf(rank: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[rank], this.#offsets[rank + 1]);
  }

  /**
   * Returns the rank of the token with the bytes from `start` to `end`; -1 if no token has them.
   */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    let slot = hash(bytes, start, end - start) & this.#mask;
    for (;;) {
      const rank = (this.#table[slot] as number) - 1;
      if (rank < 0) return -1;
      if (this.#isToken(rank, bytes, start, end)) return rank;
      slot = (slot + 1) & this.#mask;
    }
  }

  /**
   * Whether the part of a text from `start` to `end` is a token; may be wrongly false beyond ASCII.
   */
  hasText(text: string, start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (text.charCodeAt(i) > 127) return false;
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    let slot = textHash(text, start, end - start) & this.#mask;
    for (;; slot = (slot + 1) & this.#mask) {
      const rank = (this.#table[slot] as number) - 1;
      if (rank < 0) return false;
      const from = offsets[rank] as number;
      if ((offsets[rank + 1] as number) - from !== end - start) continue;
      let i = start;
      while (i < end && bytes[from + i - start] === text.charCodeAt(i)) i++;
      if (i === end) return true;
    }
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[rank] as number;
    const length = end - start;
    if ((this.#offsets[rank + 1] as number) - from !== length) return false;
    for (let i = 0; i < length; i++) {
      if (this.#bytes[from + i] !== bytes[start + i]) return false;
    }
    return true;
  }
}

/**
 * A hash of the length and of three bytes at either end, as good as one of all bytes for words: a
 * vocabulary is ready in a third of the time.
 */
function hash(bytes: Uint8Array, start: number, length: number): number {
  const last = length - 1;
  return mixed(
    length,
    bytes[start] as number,
    bytes[start + (last < 1 ? last : 1)] as number,
    bytes[start + (last >> 1)] as number,
    bytes[start + (last < 2 ? 0 : last - 2)] as number,
    bytes[start + (last < 1 ? 0 : last - 1)] as number,
    bytes[start + last] as number,
  );
}

/** Returns the hash of a text of ASCII characters. */
function textHash(text: string, start: number, length: number): number {
  const last = length - 1;
  return mixed(
    length,
    text.charCodeAt(start),
    text.charCodeAt(start + (last < 1 ? last : 1)),
    text.charCodeAt(start + (last >> 1)),
    text.charCodeAt(start + (last < 2 ? 0 : last - 2)),
    text.charCodeAt(start + (last < 1 ? 0 : last - 1)),
    text.charCodeAt(start + last),
  );
}

function mixed(
  length: number,
  first: number,
  second: number,
  middle: number,
  third: number,
  lastButOne: number,
  last: number,
): number {
  const state = Math.imul(first | second << 8 | middle << 16 | length << 24, FRONT_FACTOR) ^
    Math.imul(third | lastButOne << 8 | last << 16, BACK_FACTOR);
  return state ^ (state >>> 15);
}
