import type { ReplyPiece } from "../client/endpoint/protocol/reply_writer.ts";
import type { Tokenizer } from "../load/dataset/tokenizers/tokenizer.ts";
import { textPieces } from "./text_pieces.ts";

/** How an answer with given words is cut into pieces. */
export interface AnswerPieceOptions {
  readonly tokenizer: Tokenizer;
  readonly tokensPerChunk: number;
  /** Equal answers of the reply. */
  readonly choices: number;
  /** Tokens that may be written; the rest is cut. */
  readonly maxTokens: number;
}

/** Pieces of an answer. */
export interface AnswerPieces {
  readonly pieces: readonly ReplyPiece[];
  /** Whether some did not fit into the limit. */
  readonly isCut: boolean;
}

/** Returns the pieces of an answer with given words. */
export function answerPieces(
  answer: string,
  { choices, maxTokens, tokenizer, tokensPerChunk }: AnswerPieceOptions,
): AnswerPieces {
  const all = textPieces(answer, tokenizer, tokensPerChunk);
  let sent = 0;
  const fitting = all.filter(({ tokens }) => (sent += tokens) <= maxTokens);
  return {
    pieces: fitting.flatMap((piece) =>
      Array.from({ length: choices }, (_, choice) => ({
        ...piece,
        isReasoning: false,
        ...(choice === 0 ? {} : { choice }),
      }))
    ),
    isCut: fitting.length < all.length,
  };
}
