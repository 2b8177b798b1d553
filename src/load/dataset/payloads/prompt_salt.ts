/**
 * Salts: the words that each synthetic prompt begins with, in no other prompt of a command.
 *
 * A prefix cache knows a text only from its beginning, so a prompt with a new first block is new to
 * it, whatever follows. Prompts after the salt come from a table that exists before the first
 * request and may be used many times. The salt is put in when a request is sent, and depends only on
 * the run, the phase, the session and the turn: threads and shards agree without a message.
 *
 * All words have the same number of bytes and tokens. So a salt takes the place of another one
 * without moving anything, and lengths in tokens stay exact.
 */

const SPACE = 32;
/** Number of sessions of both phases that a run can distinguish, as a power of two. */
export const SESSION_BITS: bigint = 30n;
/** Numbers of runs, as a power of two; see `resolve_dataset.ts`. */
const RUN_BITS = 24;
/** Bits that a whole salt needs at least. */
const SALT_BITS = Number(SESSION_BITS) + RUN_BITS;
/** Odd, so that numbers below a power of two map to each other one to one. */
export const FACTOR: bigint = 0x9e3779b97f4a7c15n;
/** Spreads the numbers of runs and turns. */
export const SPREAD: bigint = 0xd1342543de82ef95n;

/** Words of salts, as plain data that can be posted to any thread. */
export interface SaltWords {
  /** All words one after another. */
  readonly words: string;
  /** Bytes of each word. */
  readonly wordBytes: number;
  /** Each word spells this many bits. */
  readonly wordBits: number;
  /** Number that sets the run apart from other ones. */
  readonly run: number;
}

/** The request that a salt belongs to. */
export interface SaltedTurn {
  readonly phase: "warmup" | "profiling";
  /** Number of the session in the whole run. */
  readonly session: number;
  readonly turn: number;
}

/** Words of a whole salt. */
export function saltLength({ wordBits }: Pick<SaltWords, "wordBits">): number {
  return Math.ceil(SALT_BITS / wordBits);
}

/**
 * The salt of a text.
 * @param place of the text among those of its request, from 0
 * @param length words of it; fewer than {@linkcode saltLength} where a prompt is too short
 * @param continues whether text comes before it: then it begins with a space
 */
export function saltText(
  { words, wordBytes, wordBits, run }: SaltWords,
  { phase, session, turn }: SaltedTurn,
  place: number,
  length: number,
  continues: boolean,
): string {
  const bits = wordBits * length;
  const own = BigInt(session) * 2n + (phase === "warmup" ? 1n : 0n);
  // A short salt has no room for the run: there it sets prompts apart by chance alone.
  const number = bits < SALT_BITS
    ? own + (BigInt(run) * SPREAD >> 20n)
    : own + (BigInt(run) << SESSION_BITS);
  const text = BigInt(turn * 1024 + place) * SPREAD;
  let left = BigInt.asUintN(bits, number * FACTOR + text);
  const mask = BigInt((1 << wordBits) - 1);
  let salt = "";
  for (let i = 0; i < length; i++) {
    const at = Number(left & mask) * wordBytes;
    salt += (i > 0 || continues ? " " : "") + words.slice(at, at + wordBytes);
    left >>= BigInt(wordBits);
  }
  return salt;
}

/**
 * The salt that takes the place of another one in a body.
 * @param bytes the other one
 */
export function saltInPlaceOf(
  bytes: Uint8Array,
  salts: SaltWords,
  turn: SaltedTurn,
  place: number,
): Uint8Array<ArrayBuffer> {
  const continues = bytes[0] === SPACE;
  const length = (bytes.length + (continues ? 0 : 1)) / (salts.wordBytes + 1);
  return encoder.encode(saltText(salts, turn, place, length, continues));
}

const encoder = new TextEncoder();
