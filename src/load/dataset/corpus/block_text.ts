import { randomStream } from "../../../core/statistics/random_stream.ts";
import { BuiltinTokenizer } from "../tokenizers/builtin_tokenizer.ts";
import { Corpus } from "./corpus.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Words that spell keys, at most. */
const SPELLING_WORDS = 2048;
/** Words of tokenizers that have a token for each letter. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Letters of which texts are windows. */
const LETTER_PROSE = 65_536;
/** Bits of a key. */
const KEY_BITS = 53;

/**
 * Text of exact numbers of tokens; equal keys give equal text.
 *
 * The text consists of words of the corpus that are one token each: without a space, after a space
 * and at the beginning of a prompt. So the number of tokens of joined texts is the sum of their
 * tokens. This is exact for the builtin tokenizer and for all that split text before spaces. A
 * shorter text of a key is the beginning of a longer one. The first words spell the key: texts of
 * different keys differ within their first tokens, so no prefix of one hits the prefix cache entry
 * of another.
 */
export class BlockText {
  readonly #seed: number;
  /** The words in the order of the corpus, each after a space. */
  readonly #prose: string;
  /** Offset of each one, and the end. */
  readonly #offsets: Uint32Array;
  /** Different ones, each after a space. */
  readonly #spelling: readonly string[];
  /** Words of a spelling: enough that every key has a unique one. */
  readonly #spellingLength: number;

  private constructor(
    seed: number,
    prose: string,
    offsets: Uint32Array,
    spelling: readonly string[],
  ) {
    this.#seed = seed;
    this.#prose = prose;
    this.#offsets = offsets;
    this.#spelling = spelling;
    this.#spellingLength = Math.ceil(KEY_BITS / Math.log2(spelling.length));
  }

  /**
   * Finds the words of the corpus that are one token.
   * @param tokenizer counts; undefined for the builtin one
   * @param given the corpus; undefined to read it
   * @throws {DatasetError} if no word of the corpus is one token of it
   */
  static async load(
    seed: number,
    tokenizer: Tokenizer | undefined,
    given?: Corpus,
  ): Promise<BlockText> {
    const corpus = given ?? await Corpus.load();
    const decoder = new TextDecoder();
    const counted = new Map<string, boolean>();
    const isOneToken = (piece: number, word: string): boolean => {
      if (tokenizer === undefined || tokenizer instanceof BuiltinTokenizer) {
        return corpus.tokensOf(piece) === 1 && corpus.tokensAtStart(piece) === 1;
      }
      let isOne = counted.get(word);
      if (isOne === undefined) {
        isOne = tokenizer.count(word) === 1 && tokenizer.count(` ${word}`) === 1 &&
          tokenizer.count(`${word} ${word}`) === 2;
        counted.set(word, isOne);
      }
      return isOne;
    };
    const words: string[] = [];
    for (let piece = 0; piece < corpus.pieces; piece++) {
      if (!corpus.isStart(piece)) continue;
      const from = (corpus.offsets[piece] as number) + 1;
      const word = decoder.decode(corpus.text.subarray(from, corpus.offsets[piece + 1]));
      if (/^[A-Za-z]+$/.test(word) && isOneToken(piece, word)) words.push(` ${word}`);
    }
    const spelling = [...new Set(words)].slice(0, SPELLING_WORDS);
    if (spelling.length < 2 && tokenizer !== undefined && isOfLetters(tokenizer)) {
      return BlockText.#ofLetters(seed);
    }
    if (spelling.length < 2) {
      throw new DatasetError(
        tokenizer?.name ?? "builtin",
        undefined,
        "This tokenizer has no words of one token: traces of lengths need --tokenizer builtin",
      );
    }
    const offsets = new Uint32Array(words.length + 1);
    words.forEach((word, i) => offsets[i + 1] = (offsets[i] as number) + word.length);
    return new BlockText(seed, words.join(""), offsets, spelling);
  }

  /** Texts of letters without spaces, for tokenizers of characters or bytes. */
  static #ofLetters(seed: number): BlockText {
    const random = randomStream(seed, "dataset.letters");
    const prose = Array.from(
      { length: LETTER_PROSE },
      () => LETTERS[Math.floor(random() * LETTERS.length)],
    ).join("");
    const offsets = Uint32Array.from({ length: prose.length + 1 }, (_, i) => i);
    return new BlockText(seed, prose, offsets, [...LETTERS]);
  }

  /** Characters that the first text of a prompt loses. */
  get leadingCharacters(): number {
    return this.#prose.startsWith(" ") ? 1 : 0;
  }

  /** Returns a prompt of texts of this kind: its tokens are the sum of the tokens of the texts. */
  prompt(texts: readonly string[]): string {
    return this.#prose.startsWith(" ") ? promptOf(texts) : texts.join("");
  }

  /**
   * Returns the given number of tokens of a key's text, each after a space.
   * @param key a whole number from 0
   * @param name separates the keys of different things
   */
  text(key: number, tokens: number, name = "block"): string {
    const length = Math.min(tokens, this.#spellingLength);
    const spelt = this.#spelt(key, length);
    const rest = tokens - length;
    if (rest === 0) return spelt;
    const random = randomStream(this.#seed, `dataset.${name}`, key);
    return spelt + this.#window(Math.floor(random() * this.#words), rest);
  }

  get #words(): number {
    return this.#offsets.length - 1;
  }

  #spelt(key: number, length: number): string {
    const base = this.#spelling.length;
    let text = "";
    for (let left = key, i = 0; i < length; i++) {
      text += this.#spelling[left % base] as string;
      left = Math.floor(left / base);
    }
    return text;
  }

  /** Returns words starting at an index, wrapping around at the end. */
  #window(start: number, words: number): string {
    const end = start + words;
    const from = this.#offsets[start] as number;
    if (end <= this.#words) return this.#prose.slice(from, this.#offsets[end]);
    const left = end - this.#words;
    return this.#prose.slice(from) + this.#prose.repeat(Math.floor(left / this.#words)) +
      this.#prose.slice(0, this.#offsets[left % this.#words]);
  }
}

/** Whether each letter is a token, whatever its neighbours are. */
function isOfLetters(tokenizer: Tokenizer): boolean {
  return tokenizer.count(LETTERS) === LETTERS.length &&
    tokenizer.count(LETTERS + LETTERS) === 2 * LETTERS.length &&
    [...LETTERS].every((letter) => tokenizer.count(letter) === 1);
}

/** A prompt of texts that each begin with a space, which the first one loses. */
export function promptOf(texts: readonly string[]): string {
  return texts.join("").slice(1);
}
