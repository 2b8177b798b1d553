import type { RandomStream } from "../../../core/statistics/random_stream.ts";
import type { Corpus } from "./corpus.ts";

/** A window of the corpus, read round and round: byte offset and length. */
export interface PromptWindow {
  readonly offset: number;
  readonly length: number;
}

/** Surroundings of a window, with which its ends must not merge into other tokens. */
export interface WindowPlace {
  /** Whether text comes before it: then it begins with its space. */
  readonly continues: boolean;
  /** Whether it has to end in a word or a number, since line feeds follow. */
  readonly endsInWord: boolean;
}

/** A text of its own. */
export const ALONE: WindowPlace = { continues: false, endsInWord: false };

/**
 * Draws windows of the corpus that have an exact number of tokens and begin at different words, so
 * that no prompt is a prefix of another and a server's prefix cache has nothing to reuse. Only when
 * every word of the corpus has begun a prompt do they come again.
 */
export class PromptWindows {
  readonly #corpus: Corpus;
  readonly #random: RandomStream;
  /** State of the Fisher-Yates shuffle of the pieces: only moved pieces are stored. */
  readonly #moved = new Map<number, number>();
  #drawn = 0;

  constructor(corpus: Corpus, random: RandomStream) {
    this.#corpus = corpus;
    this.#random = random;
  }

  /** The next window of exactly `tokens` tokens. */
  next(tokens: number, place: WindowPlace = ALONE): PromptWindow {
    if (tokens === 0) return { offset: 0, length: 0 };
    for (;;) {
      const window = this.#windowAt(this.#drawPiece(), tokens, place);
      if (window !== undefined) return window;
    }
  }

  #drawPiece(): number {
    const { pieces } = this.#corpus;
    if (this.#drawn === pieces) {
      this.#drawn = 0;
      this.#moved.clear();
    }
    const position = this.#drawn++;
    const other = position + Math.floor(this.#random() * (pieces - position));
    const piece = this.#moved.get(other) ?? other;
    this.#moved.set(other, this.#moved.get(position) ?? position);
    this.#moved.delete(position);
    return piece;
  }

  /** The window that begins at a piece, if there is one of that many tokens. */
  #windowAt(start: number, tokens: number, place: WindowPlace): PromptWindow | undefined {
    const corpus = this.#corpus;
    if (!corpus.isStart(start)) return undefined;
    const rest = tokens - (place.continues ? corpus.tokensOf(start) : corpus.tokensAtStart(start));
    if (rest < 0) return undefined;
    // Tokens after the first piece, counted from the corpus' beginning, round and round.
    const target = (corpus.tokensBefore[start + 1] as number) + rest;
    const rounds = Math.floor(target / corpus.tokens);
    const end = pieceAt(corpus.tokensBefore, target % corpus.tokens);
    if (end < 0 || !corpus.isEnd(end)) return undefined;
    const from = (corpus.offsets[start] as number) + (place.continues ? 0 : 1);
    const to = rounds * corpus.text.length + (corpus.offsets[end] as number);
    if (place.endsInWord && !corpus.endsInWord(to)) return undefined;
    return { offset: from, length: to - from };
  }
}

/** Index of a value in an ascending array, -1 if it is missing. */
function pieceAt(tokensBefore: Uint32Array, tokens: number): number {
  let low = 0;
  let high = tokensBefore.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokensBefore[middle] as number) < tokens) low = middle + 1;
    else high = middle;
  }
  return tokensBefore[low] === tokens ? low : -1;
}
