import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Texts at whose ends a tokenizer shows whether texts can be counted one by one. */
const SAMPLES = ["word", "End.", "12", '{"k":"v"}', "(x", "né", "Über", "一二"];
/** A shorter text is not divided to be counted. */
const LEAST_CHARACTERS = 64;
/** Longer texts that are remembered, in characters, and number of shorter ones. */
const REMEMBERED = 16 * 1024 * 1024;
const REMEMBERED_SHORT = 10_000;

/** Tokens of a text by itself, and behind a space. */
interface TextTokens {
  readonly alone: number;
  readonly spaced: number;
}

/**
 * Counts the tokens of texts joined by one space. Texts that many requests have are counted once, as
 * far as the tokenizer divides them from their neighbours anyway.
 */
export class JoinedCount {
  readonly #tokenizer: Tokenizer;
  readonly #known = new Map<string, TextTokens>();
  #knownCharacters = 0;
  readonly #short = new Map<string, number>();
  #isDivided: boolean | undefined;

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** Returns the tokens of one text. */
  of(text: string): number {
    if (text.length < LEAST_CHARACTERS) return this.#shortTokens(text);
    return this.#divides ? this.#tokensOf(text).alone : this.#tokenizer.count(text);
  }

  /** Returns the tokens of the joined texts. */
  ofJoined(texts: readonly string[]): number {
    if (texts.length < 2) return texts.length === 0 ? 0 : this.of(texts[0] as string);
    if (!this.#divides) return this.#tokenizer.count(texts.join(" "));
    let tokens = 0;
    let open = texts[0] as string;
    let isSpaced = false;
    const add = (): void => {
      tokens += isSpaced ? this.#spaced(open) : this.of(open);
    };
    for (let place = 1; place < texts.length; place++) {
      const text = texts[place] as string;
      if (isWord(open.at(-1)) && isWord(text[0])) {
        add();
        open = text;
        isSpaced = true;
      } else open += ` ${text}`;
    }
    add();
    return tokens;
  }

  #spaced(text: string): number {
    return text.length < LEAST_CHARACTERS
      ? this.#shortTokens(` ${text}`)
      : this.#tokensOf(text).spaced;
  }

  /** Arguments of tools and names are in the history of many requests. */
  #shortTokens(text: string): number {
    let tokens = this.#short.get(text);
    if (tokens === undefined) {
      tokens = this.#tokenizer.count(text);
      if (this.#short.size === REMEMBERED_SHORT) this.#short.clear();
      this.#short.set(text, tokens);
    }
    return tokens;
  }

  #tokensOf(text: string): TextTokens {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const count = (text: string): number => this.#tokenizer.count(text);
    // Only the beginning differs: what is behind a space is counted once.
    const found = text.slice(LEAST_CHARACTERS / 2).search(/\S \S/);
    const end = found < 0 ? text.length : LEAST_CHARACTERS / 2 + found + 1;
    const [first, rest] = [text.slice(0, end), count(text.slice(end))];
    const tokens = { alone: count(first) + rest, spaced: count(` ${first}`) + rest };
    this.#knownCharacters += text.length;
    if (this.#knownCharacters > REMEMBERED) {
      this.#known.clear();
      this.#knownCharacters = text.length;
    }
    this.#known.set(text, tokens);
    return tokens;
  }

  /** Whether the tokenizer begins a token at a space between words. */
  get #divides(): boolean {
    const count = (text: string): number => this.#tokenizer.count(text);
    return this.#isDivided ??= SAMPLES.every((a) =>
      SAMPLES.every((b) => count(`${a} ${b}`) === count(a) + count(` ${b}`))
    );
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\S/.test(character);
}
