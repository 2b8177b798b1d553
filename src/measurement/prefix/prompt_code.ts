/**
 * Prompts as codes: three characters for each word, of which two are a hash of the word and the third
 * has its tokens. Equal beginnings of prompts have equal beginnings of codes, so that the texts
 * themselves need not be kept. Words are runs of characters up to the next space; longer ones are cut.
 */

import { mixedBits } from "../../core/statistics/mixed_bits.ts";

/** Counts the tokens of a text. */
export type TextCount = (text: string) => number;

/** Characters of a word in a code. */
export const WORD_UNITS = 3;
/** Longest word. */
const MAX_WORD = 24;
/** In the third character: it is the rest of a longer word. */
const CONTINUES = 0x4000;
const MAX_TOKENS = CONTINUES - 1;
/** Words whose tokens are remembered. */
const MAX_KNOWN = 200_000;
/** Separators, which are no words: the end of a text, and a mark of what prompts do not share. */
const PART_END = "\uf8ff\0\0";
const MARK = "\uf8fe";

/** Adds up something over the words of a code. */
export type CodeCount = (code: string, start?: number, end?: number) => number;

/** Tokens of a code, by the counter that it was encoded with. */
export const countTokens: CodeCount = (code, start = 0, end = code.length) => {
  let tokens = 0;
  for (let at = start + WORD_UNITS - 1; at < end; at += WORD_UNITS) {
    tokens += code.charCodeAt(at) & MAX_TOKENS;
  }
  return tokens;
};

/** Words of a code. */
export const countWords: CodeCount = (code, start = 0, end = code.length) => {
  let words = 0;
  for (let at = start; at + WORD_UNITS <= end; at += WORD_UNITS) {
    const first = code.charCodeAt(at);
    const isWord = first !== PART_END.charCodeAt(0) && first !== MARK.charCodeAt(0);
    if (isWord && (code.charCodeAt(at + 2) & CONTINUES) === 0) words++;
  }
  return words;
};

/** Ends of texts in a code. */
export const countEnds: CodeCount = (code, start = 0, end = code.length) => {
  let ends = 0;
  for (let at = start; at + WORD_UNITS <= end; at += WORD_UNITS) {
    if (code.charCodeAt(at) === PART_END.charCodeAt(0)) ends++;
  }
  return ends;
};

/** The code of several parts of a prompt. */
export function joinedCodes(codes: readonly string[]): string {
  return codes.join(PART_END);
}

/** A word without tokens that prompts share only if they have the same name for it. */
export function markCode(name: string): string {
  const hash = hashOf(name, 0, name.length);
  return MARK + String.fromCharCode(hash & 0xffff, 0);
}

/** Encodes texts. */
export class PromptCoder {
  readonly #count: TextCount | undefined;
  /** Tokens of words by their hashes, which are as good as the words and faster to find. */
  readonly #known = new Map<number, number>();
  readonly #units = new Uint16Array(1024 * WORD_UNITS);

  /** @param count of tokens; undefined if none is known, so that words are counted */
  constructor(count: TextCount | undefined) {
    this.#count = count;
  }

  /** The code of a text. */
  code(text: string): string {
    const units = this.#units;
    let code = "";
    let [start, used] = [0, 0];
    while (start < text.length) {
      const end = wordEnd(text, start);
      const isRest = start > 0 && !isSpace(text.charCodeAt(start));
      const hash = hashOf(text, start, end);
      units[used++] = wordUnit(hash >>> 16);
      units[used++] = hash & 0xffff;
      units[used++] = this.#tokensOf(text, start, end, hash) | (isRest ? CONTINUES : 0);
      if (used === units.length) {
        code += String.fromCharCode(...units);
        used = 0;
      }
      start = end;
    }
    return code + String.fromCharCode(...units.subarray(0, used));
  }

  #tokensOf(text: string, start: number, end: number, hash: number): number {
    if (this.#count === undefined) return 0;
    // A number of 31 bits is no object.
    const key = hash >>> 1;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const tokens = Math.min(MAX_TOKENS, this.#count(text.slice(start, end)));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, tokens);
    return tokens;
  }
}

/** The end of the word that starts at a place, its spaces included. */
function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  const most = Math.min(text.length, Math.max(end, start) + MAX_WORD);
  while (end < most && !isSpace(text.charCodeAt(end))) end++;
  return end;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** A first character that is none of a mark or an end of a text. */
function wordUnit(unit: number): number {
  return unit >= MARK.charCodeAt(0) ? unit - 0x1000 : unit;
}

/** FNV-1a over characters with its bits mixed. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return mixedBits(hash) >>> 0;
}
