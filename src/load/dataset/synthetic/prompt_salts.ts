import { type CountedSaltWords, saltWords } from "./salt_words.ts";
import type { Corpus } from "../corpus/corpus.ts";
import { type SaltedTurn, saltLength, saltText, type SaltWords } from "../payloads/prompt_salt.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** A salt that a text begins with. */
export interface SaltPiece {
  readonly salt: string;
  /** Number of bytes. */
  readonly length: number;
}

/** A salt and its tokens. */
export interface CountedSalt extends SaltPiece {
  readonly tokens: number;
}

/** Makes the salts of synthetic prompts as they are when each prompt is used for the first time. */
export class PromptSalts {
  readonly #words: CountedSaltWords;
  readonly #run: number;
  #isWarmup = false;
  #session = -1;
  #turn = 0;
  #place = 0;

  constructor(words: CountedSaltWords, run: number) {
    this.#words = words;
    this.#run = run;
  }

  /**
   * Finds words for salts.
   * @param run see {@linkcode SaltWords}; undefined for no salts
   * @param tokenizer counts the tokens; undefined for the builtin one
   */
  static of(
    run: number | undefined,
    corpus: Corpus,
    tokenizer: Tokenizer | undefined,
  ): PromptSalts | undefined {
    const words = run === undefined ? undefined : saltWords(corpus, tokenizer);
    return run === undefined || words === undefined ? undefined : new PromptSalts(words, run);
  }

  /** Words and bits that threads need to salt prompts that are used again. */
  get columns(): SaltWords {
    const { words, wordBytes, wordBits } = this.#words;
    return { words, wordBytes, wordBits, run: this.#run };
  }

  /** Goes on to the next request: of the same session, or of the next one. */
  begin(isFirst: boolean, isWarmup: boolean): void {
    if (isWarmup !== this.#isWarmup) this.#session = -1;
    this.#isWarmup = isWarmup;
    this.#turn = isFirst ? 0 : this.#turn + 1;
    if (isFirst) this.#session++;
    this.#place = 0;
  }

  /**
   * The salt of the request's next text; shorter where the text is too short for a whole one.
   * @param tokens of the text, at most
   * @returns undefined if there is no room for a word
   */
  next(tokens: number, continues: boolean): CountedSalt | undefined {
    const { firstTokens, laterTokens } = this.#words;
    const cost = (words: number) =>
      (continues ? laterTokens : firstTokens) + (words - 1) * laterTokens;
    let words = saltLength(this.#words);
    while (words > 0 && cost(words) > tokens) words--;
    if (words === 0) return undefined;
    const turn: SaltedTurn = {
      phase: this.#isWarmup ? "warmup" : "profiling",
      session: this.#session,
      turn: this.#turn,
    };
    const salt = saltText(this.columns, turn, this.#place++, words, continues);
    return { salt, length: salt.length, tokens: cost(words) };
  }
}
