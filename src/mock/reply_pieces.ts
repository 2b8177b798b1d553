import type { ReplyPiece } from "../client/endpoint/protocol/reply_writer.ts";

/** Each is one token of the o200k_base encoding with its leading space. */
const WORDS = (
  "the of and to in is that for it as was with be by on not he this are or his from at which but have " +
  "an had they you were there one all we can her has their more will no if out so what up said about"
).split(" ");

/** How long an answer is, and in what pieces it comes. */
export interface AnswerSize {
  readonly outputTokens: number;
  /** Part of the output, and before the rest of it. */
  readonly reasoningTokens: number;
  readonly tokensPerChunk: number;
  /** Tokens of each chunk in order; others have `tokensPerChunk`. @default none */
  readonly steps?: readonly number[] | undefined;
  /** Answers of that length, each with its own words. */
  readonly choices: number;
}

/**
 * An answer in pieces: reasoning first, which shares no piece with what follows. Several answers take
 * turns, piece by piece.
 */
export function replyPieces(
  { outputTokens, reasoningTokens, tokensPerChunk, choices, steps = [] }: AnswerSize,
): ReplyPiece[] {
  const pieces: ReplyPiece[] = [];
  for (let sent = 0, step = 0; sent < outputTokens; step++) {
    const isReasoning = sent < reasoningTokens;
    const limit = isReasoning ? Math.min(reasoningTokens, outputTokens) : outputTokens;
    const tokens = Math.min(steps[step] ?? tokensPerChunk, limit - sent);
    for (let choice = 0; choice < choices; choice++) {
      const text = wordsFrom(sent + choice, tokens);
      pieces.push({ text, tokens, isReasoning, ...(choice === 0 ? {} : { choice }) });
    }
    sent += tokens;
  }
  return pieces;
}

function wordsFrom(start: number, count: number): string {
  let text = "";
  for (let i = start; i < start + count; i++) text += ` ${WORDS[i % WORDS.length]}`;
  return text;
}
