const BITS = 2 ** 22;

/**
 * Tells about how many different texts it was given, in half a megabyte however many there are:
 * each text sets one of four million bits, and the share of bits set tells the number (linear
 * counting), exact for a few and within a few percent for millions.
 */
export class DistinctCounter {
  #bits: Uint32Array | undefined;
  #set = 0;

  /** Counts a text, unless it was counted before. */
  add(text: string): void {
    this.#bits ??= new Uint32Array(BITS / 32);
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 13)) >>> 0;
    const word = (hash % BITS) >>> 5;
    const bit = 1 << (hash & 31);
    const before = this.#bits[word] as number;
    if ((before & bit) !== 0) return;
    this.#bits[word] = before | bit;
    this.#set++;
  }

  /** About how many different texts there were. */
  get count(): number {
    const unset = Math.max(BITS - this.#set, 1);
    return Math.round(BITS * Math.log(BITS / unset));
  }
}
