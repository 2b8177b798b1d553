/** The text that synthetic prompts are cut from: see `scripts/build_corpus.ts`. */

import { readEmbeddedFile } from "../files/embedded_file.ts";

const TEXT_URL = new URL("./corpus.txt", import.meta.url);
const TABLE_URL = new URL("./corpus.bin", import.meta.url);
const SPACE = 32;

/** Words and punctuation of a corpus, with their tokens in the o200k_base encoding. */
export class Corpus {
  /** ASCII text that needs no escape in JSON; read round and round. */
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

  /** Reads the embedded corpus. */
  static async load(): Promise<Corpus> {
    const [text, table] = await Promise.all([
      readEmbeddedFile(TEXT_URL),
      readEmbeddedFile(TABLE_URL),
    ]);
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

  /** Whether a prompt may begin with a piece: it is a word with a space before it. */
  isStart(piece: number): boolean {
    const offset = this.offsets[piece] as number;
    const letter = (this.text[offset + 1] as number) | 32;
    return this.text[offset] === SPACE && letter >= 97 && letter <= 122;
  }
}
