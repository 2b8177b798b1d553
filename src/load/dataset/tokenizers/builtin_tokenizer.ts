import { bytePairCount, bytePairEnds } from "./byte_pair_count.ts";
import { pieceEnd } from "./pretokenize.ts";
import { TokenVocabulary } from "./token_vocabulary.ts";
import type { TokenCoder } from "./tokenizer.ts";

/** Location of the embedded vocabulary. */
export const VOCABULARY_URL: URL = new URL("./o200k_base.bin", import.meta.url);

/** Pieces whose counts are remembered; texts of one language repeat themselves. */
const MAX_REMEMBERED = 100_000;
/** A longer piece is rare enough not to be remembered. */
const MAX_REMEMBERED_LENGTH = 64;

/** OpenAI's o200k_base encoding, from an embedded vocabulary. */
export class BuiltinTokenizer implements TokenCoder {
  readonly name = "builtin (o200k_base)";
  readonly #file: Uint8Array;
  #vocabulary: TokenVocabulary | undefined;
  readonly #remembered = new Map<string, number>();
  readonly #encoder = new TextEncoder();

  /** @param vocabulary contents of the file at {@linkcode VOCABULARY_URL} */
  constructor(vocabulary: Uint8Array) {
    this.#file = vocabulary;
  }

  count(text: string): number {
    // Made when it is first needed: it takes some milliseconds.
    const vocabulary = this.#vocabulary ??= new TokenVocabulary(this.#file);
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      // Most pieces are tokens; no text has to be made to see that.
      tokens += vocabulary.hasText(text, start, end)
        ? 1
        : this.#countPiece(vocabulary, text.slice(start, end));
      start = end;
    }
    return tokens;
  }

  encode(text: string): number[] {
    const vocabulary = this.#vocabulary ??= new TokenVocabulary(this.#file);
    const ids: number[] = [];
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      const bytes = this.#encoder.encode(text.slice(start, end));
      let from = 0;
      for (const to of bytePairEnds(vocabulary, bytes)) {
        ids.push(vocabulary.rankOf(bytes, from, to));
        from = to;
      }
      start = end;
    }
    return ids;
  }

  #countPiece(vocabulary: TokenVocabulary, piece: string): number {
    const known = this.#remembered.get(piece);
    if (known !== undefined) return known;
    const tokens = bytePairCount(vocabulary, this.#encoder.encode(piece));
    if (piece.length <= MAX_REMEMBERED_LENGTH) {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(piece, tokens);
    }
    return tokens;
  }
}
