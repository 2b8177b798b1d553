/** Bits of a {@linkcode TextBits}: half a megabyte. */
export const TEXT_BITS = 2 ** 22;

/**
 * A set of texts with false positives (it may claim to hold a text that it does not), never false
 * negatives: of each text it keeps one of four million bits.
 */
export class TextBits {
  readonly #words = new Uint32Array(TEXT_BITS / 32);
  #set = 0;

  /** Number of bits that are set. */
  get setBits(): number {
    return this.#set;
  }

  /** Adds a text. */
  add(text: string): void {
    const bit = bitOf(text, 0, text.length);
    const word = this.#words[bit >>> 5] as number;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return;
    this.#words[bit >>> 5] = word | mask;
    this.#set++;
  }

  /** Whether the text between two places may have been added. */
  mayHold(text: string, start: number, end: number): boolean {
    const bit = bitOf(text, start, end);
    return ((this.#words[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
  }
}

function bitOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) % TEXT_BITS;
}
