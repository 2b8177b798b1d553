/** The text that synthetic prompts are cut from: see `scripts/build_corpus.ts`. */

import { readEmbeddedFile } from "../../../core/files/embedded_file.ts";

/** Files of each corpus that is embedded: the text, and the table of its pieces. */
const FILES = {
  sonnet: [
    new URL("./corpus.txt", import.meta.url),
    new URL("./corpus.bin", import.meta.url),
  ],
  coding: [
    new URL("./code_corpus.txt", import.meta.url),
    new URL("./code_corpus.bin", import.meta.url),
  ],
} as const;
const SPACE = 32;
const BACKSLASH = 92;
const decoder = new TextDecoder();

/** Words and punctuation of a corpus, with their tokens in the o200k_base encoding. */
export class Corpus {
  /** ASCII text in the form of a JSON string, escapes included; read cyclically. */
  readonly text: Uint8Array;
  /** Offset of each piece in the text, and the text's length at the end. */
  readonly offsets: Uint32Array;
  /** Tokens before each piece, and all of them at the end. */
  readonly tokensBefore: Uint32Array;
  readonly #table: Uint8Array;

  constructor(text: Uint8Array, table: Uint8Array) {
    this.text = text;
    this.#table = table;
    const pieces = table.length / 2;
    this.offsets = new Uint32Array(pieces + 1);
    this.tokensBefore = new Uint32Array(pieces + 1);
    for (let piece = 0; piece < pieces; piece++) {
      this.offsets[piece + 1] = (this.offsets[piece] as number) + (table[piece * 2] as number);
      this.tokensBefore[piece + 1] = (this.tokensBefore[piece] as number) + this.tokensOf(piece);
    }
  }

  /** Reads an embedded corpus: prose, or source code. */
  static async load(name: keyof typeof FILES = "sonnet"): Promise<Corpus> {
    const [text, table] = await Promise.all(FILES[name].map(readEmbeddedFile)) as [
      Uint8Array,
      Uint8Array,
    ];
    return new Corpus(text, table);
  }

  get pieces(): number {
    return this.offsets.length - 1;
  }

  get tokens(): number {
    return this.tokensBefore[this.pieces] as number;
  }

  tokensOf(piece: number): number {
    return (this.#table[piece * 2 + 1] as number) & 15;
  }

  /** Tokens of a piece where a prompt begins with it, its leading space dropped. */
  tokensAtStart(piece: number): number {
    return (this.#table[piece * 2 + 1] as number) >> 4;
  }

  /** Whether the text before an offset ends in a word or a number, with which nothing merges. */
  endsInWord(offset: number): boolean {
    const at = offset - 1 + this.text.length;
    const last = this.text[at % this.text.length] as number;
    // The letter of an escape is none.
    if (this.text[(at - 1) % this.text.length] === BACKSLASH) return false;
    const letter = last | 32;
    return (letter >= 97 && letter <= 122) || (last >= 48 && last <= 57);
  }

  /** The text of a window, read round and round, without the escapes of JSON. */
  textOf(offset: number, length: number): string {
    const parts: string[] = [];
    for (let at = offset, left = length; left > 0;) {
      const from = at % this.text.length;
      const to = Math.min(this.text.length, from + left);
      parts.push(decoder.decode(this.text.subarray(from, to)));
      left -= to - from;
      at += to - from;
    }
    const text = parts.join("");
    return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
  }

  /**
   * Whether a text may end before a piece (the number of pieces: after the last).
   *
   * Of several spaces before what takes none along, as digits, the last is a piece of its own; at
   * the end of a text it is one piece with the others, and the text has fewer tokens.
   */
  isEnd(piece: number): boolean {
    const last = (piece + this.pieces - 1) % this.pieces;
    const offset = this.offsets[last] as number;
    if (this.text[offset] !== SPACE || this.offsets[last + 1] !== offset + 1) return true;
    return this.text[(offset + this.text.length - 1) % this.text.length] !== SPACE;
  }

  /** Whether a prompt may begin with a piece: it is a word with a space before it. */
  isStart(piece: number): boolean {
    const offset = this.offsets[piece] as number;
    const letter = (this.text[offset + 1] as number) | 32;
    return this.text[offset] === SPACE && letter >= 97 && letter <= 122;
  }
}
