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
  /** Sequence of at least as many words as a salt has. */
  readonly #sequence: RegExp;

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
    const word = `[A-Za-z]{${wordBytes}}`;
    this.#sequence = new RegExp(
      `(?<![A-Za-z])${word}(?: ${word}){${this.#length - 1},}(?![A-Za-z])`,
      "g",
    );
  }

  /** Whether a reply contains a whole salt of another request of the run. */
  isIn(text: string, asked: AskedRequest): boolean {
    for (const [sequence] of text.matchAll(this.#sequence)) {
      const numbers = sequence.split(" ").map((word) => this.#numbers.get(word));
      for (let at = 0; at + this.#length <= numbers.length; at++) {
        const spelled = numbers.slice(at, at + this.#length);
        if (spelled.every((number) => number !== undefined) && this.#isForeign(spelled, asked)) {
          return true;
        }
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

/** Inverse of an odd number modulo a power of two, by Newton's iteration. */
function inverseOf(odd: bigint, bits: number): bigint {
  let inverse = odd;
  for (let known = 3; known < bits; known *= 2) {
    inverse = BigInt.asUintN(bits, inverse * (2n - odd * inverse));
  }
  return inverse;
}
