import type { Tokenizer } from "../load/dataset/tokenizers/tokenizer.ts";

/** A part of a text that a stream sends as an event. */
export interface TextPiece {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Returns a text in pieces of about equal length. Each counts the tokens of a chunk, the last one the
 * rest: the sum is exact, the tokens of a piece are not.
 */
export function textPieces(
  text: string,
  tokenizer: Tokenizer,
  tokensPerChunk: number,
): TextPiece[] {
  const characters = [...text];
  const tokens = tokenizer.count(text);
  const count = Math.ceil(tokens / tokensPerChunk);
  return Array.from({ length: count }, (_, place) => {
    const [from, to] = [place, place + 1].map((at) => Math.round(at * characters.length / count));
    return {
      text: characters.slice(from, to).join(""),
      tokens: Math.min(tokensPerChunk, tokens - place * tokensPerChunk),
    };
  });
}
