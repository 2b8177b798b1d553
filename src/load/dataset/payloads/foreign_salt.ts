import { FACTOR, saltLength, type SaltWords, SESSION_BITS, SPREAD } from "./prompt_salt.ts";

/** Turns of conversations, and texts of a request, whose salts are recognized. */
const MAX_TURNS = 64;
const MAX_PLACES = 4;

/** A request in whose reply the salts of other requests are looked for. */
export interface AskedRequest {
  readonly isWarmup: boolean;
  /** Number of its session in the run. */
  readonly session: number;
}

/**
 * Finds the salts of other requests in texts.
 *
 * The words of a salt encode a number that contains the number of the run. So a sequence of such words
 * that is no salt of the run passes with a probability of 2^-24 for each turn and place.
 */
export class ForeignSalts {
  readonly #salts: SaltWords;
  readonly #numbers = new Map<string, number>();
  readonly #length: number;
  readonly #bits: number;
  readonly #inverse: bigint;
  /** Amounts that the turn and the place of a text add to its number. */
  readonly #offsets: readonly bigint[];

  constructor(salts: SaltWords) {
    const { words, wordBytes } = salts;
    this.#salts = salts;
    for (let at = 0; at < words.length; at += wordBytes) {
      this.#numbers.set(words.slice(at, at + wordBytes), at / wordBytes);
    }
    this.#length = saltLength(salts);
    this.#bits = salts.wordBits * this.#length;
    this.#inverse = inverseOf(FACTOR, this.#bits);
    this.#offsets = Array.from(
      { length: MAX_TURNS * MAX_PLACES },
      (_, at) => Math.floor(at / MAX_PLACES) * 1024 + at % MAX_PLACES,
    ).map((text) => BigInt.asUintN(this.#bits, BigInt(text) * SPREAD * this.#inverse));
  }

  /** Whether a reply contains a whole salt of another request of the run. */
  isIn(text: string, asked: AskedRequest): boolean {
    const unit = this.#salts.wordBytes + 1;
    // The spaces of a salt have one distance: each salt has two of them from one of these places on.
    const stride = Math.max(1, this.#length - 2) * unit;
    let checkedEnd = 0;
    for (let place = 0; place < text.length; place += stride) {
      for (let at = place; at < place + unit; at++) {
        if (at < checkedEnd) continue;
        if (text.charCodeAt(at) !== SPACE || text.charCodeAt(at + unit) !== SPACE) continue;
        const { start, words } = this.#wordsAround(text, at);
        if (this.#isSpelled(words, asked)) return true;
        checkedEnd = start + words.length * unit;
      }
    }
    return false;
  }

  /** Words of the length of those of salts, one after another, of which one ends at a space. */
  #wordsAround(
    text: string,
    space: number,
  ): { readonly start: number; readonly words: readonly string[] } {
    const { wordBytes } = this.#salts;
    let start = space + 1;
    while (
      text.charCodeAt(start - 1) === SPACE && this.#isWord(text, start - 1 - wordBytes)
    ) start -= wordBytes + 1;
    const words: string[] = [];
    for (let at = start; this.#isWord(text, at); at += wordBytes + 1) {
      words.push(text.slice(at, at + wordBytes));
      if (text.charCodeAt(at + wordBytes) !== SPACE) break;
    }
    return { start, words };
  }

  /** Whether a word of the length of those of salts is at a place. */
  #isWord(text: string, at: number): boolean {
    const end = at + this.#salts.wordBytes;
    if (at < 0 || end > text.length) return false;
    if (at > 0 && isLetter(text.charCodeAt(at - 1))) return false;
    for (let place = at; place < end; place++) {
      if (!isLetter(text.charCodeAt(place))) return false;
    }
    return end === text.length || !isLetter(text.charCodeAt(end));
  }

  #isSpelled(words: readonly string[], asked: AskedRequest): boolean {
    const numbers = words.map((word) => this.#numbers.get(word));
    for (let at = 0; at + this.#length <= numbers.length; at++) {
      const spelled = numbers.slice(at, at + this.#length);
      if (spelled.every((number) => number !== undefined) && this.#isForeign(spelled, asked)) {
        return true;
      }
    }
    return false;
  }

  #isForeign(spelled: readonly number[], { isWarmup, session }: AskedRequest): boolean {
    const { run, wordBits } = this.#salts;
    const left = spelled.reduceRight((sum, word) => sum << BigInt(wordBits) | BigInt(word), 0n);
    const own = BigInt(session) * 2n + (isWarmup ? 1n : 0n);
    const spelledNumber = left * this.#inverse;
    for (const offset of this.#offsets) {
      const number = BigInt.asUintN(this.#bits, spelledNumber - offset);
      if (number >> SESSION_BITS !== BigInt(run)) continue;
      return (number & (1n << SESSION_BITS) - 1n) !== own;
    }
    return false;
  }
}

const SPACE = 32;

function isLetter(code: number): boolean {
  // Lower case is upper case with another bit.
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Inverse of an odd number modulo a power of two, by Newton's iteration. */
function inverseOf(odd: bigint, bits: number): bigint {
  let inverse = odd;
  for (let known = 3; known < bits; known *= 2) {
    inverse = BigInt.asUintN(bits, inverse * (2n - odd * inverse));
  }
  return inverse;
}
