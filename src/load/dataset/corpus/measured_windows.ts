import type { RandomStream } from "../../../core/statistics/random_stream.ts";
import type { Corpus } from "./corpus.ts";
import { ALONE, type PromptWindow, PromptWindows, type WindowPlace } from "./prompt_windows.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Beginnings that are tried before the nearest length is taken. */
const MAX_BEGINNINGS = 40;
/** Lengths that are tried for one beginning. */
const MAX_LENGTHS = 12;

/** The texts next to a window. */
export interface WindowContext {
  readonly before: string;
  readonly after: string;
}

const NO_CONTEXT: WindowContext = { before: "", after: "" };

/** A window and the tokens it turned out to have. */
export interface MeasuredWindow extends PromptWindow {
  readonly tokens: number;
}

/**
 * Draws windows of the corpus that have an exact number of tokens by any tokenizer: a window of a
 * plausible length is cut, counted, and lengthened or shortened until the count is right.
 */
export class MeasuredWindows {
  readonly #corpus: Corpus;
  readonly #windows: PromptWindows;
  readonly #tokenizer: Tokenizer;
  readonly #contexts = new Map<string, number>();
  /** Tokens of this tokenizer for one of the corpus' own, as seen so far. */
  #ratio = 1;

  constructor(corpus: Corpus, random: RandomStream, tokenizer: Tokenizer) {
    this.#corpus = corpus;
    this.#windows = new PromptWindows(corpus, random);
    this.#tokenizer = tokenizer;
  }

  /**
   * Returns the next window of `tokens` tokens, or of the nearest number found if none is exact.
   * @param context text before and after the window, with which its ends may merge
   */
  next(
    tokens: number,
    place: WindowPlace = ALONE,
    context: WindowContext = NO_CONTEXT,
  ): MeasuredWindow {
    if (tokens === 0) return { offset: 0, length: 0, tokens };
    let nearest: MeasuredWindow | undefined;
    for (let attempt = 0; attempt < MAX_BEGINNINGS; attempt++) {
      const window = this.#fit(tokens, place, context);
      if (window.tokens === tokens) return window;
      if (
        nearest === undefined ||
        Math.abs(window.tokens - tokens) < Math.abs(nearest.tokens - tokens)
      ) nearest = window;
    }
    return nearest as MeasuredWindow;
  }

  #fit(tokens: number, place: WindowPlace, context: WindowContext): MeasuredWindow {
    let wanted = Math.max(1, Math.round(tokens / this.#ratio));
    const { offset, length } = this.#windows.next(wanted, place);
    let best = { offset, length, tokens: this.#count(offset, length, context) };
    let words = best;
    for (let attempt = 0; attempt < MAX_LENGTHS && words.tokens !== tokens; attempt++) {
      if (wanted > 20) this.#ratio = words.tokens / wanted;
      const missing = tokens - words.tokens;
      const step = Math.round(missing / this.#ratio) || Math.sign(missing);
      wanted = Math.max(1, wanted + step);
      const end = this.#wordEnd(offset + words.length, step);
      if (end <= offset) break;
      const length = end - offset;
      words = { offset, length, tokens: this.#count(offset, length, context) };
      if (Math.abs(words.tokens - tokens) < Math.abs(best.tokens - tokens)) best = words;
    }
    return best;
  }

  /** The end of the piece that comes this many pieces after (or before) the one that ends at `end`. */
  #wordEnd(end: number, step: number): number {
    const { offsets, text, pieces } = this.#corpus;
    const round = Math.floor(end / text.length);
    const within = end % text.length;
    let low = 0;
    let high = pieces;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] as number) < within) low = middle + 1;
      else high = middle;
    }
    const target = round * pieces + low + step;
    return Math.floor(target / pieces) * text.length + (offsets[target % pieces] ?? 0);
  }

  #count(offset: number, length: number, { before, after }: WindowContext): number {
    const text = this.#corpus.textOf(offset, length);
    const tokens = this.#tokenizer.count(before + text + after);
    return before === "" && after === ""
      ? tokens
      : tokens - this.#countContext(before) - this.#countContext(after);
  }

  #countContext(text: string): number {
    const known = this.#contexts.get(text);
    if (known !== undefined) return known;
    const tokens = text === "" ? 0 : this.#tokenizer.count(text);
    this.#contexts.set(text, tokens);
    return tokens;
  }
}
