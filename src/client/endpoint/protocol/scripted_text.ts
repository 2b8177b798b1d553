/**
 * Parts that writers of replies have in common: the text of a script and the frames of streams.
 */

import type { ReplyPiece, ScriptedReply } from "./reply_writer.ts";

/** The text of some pieces. */
export function textOf(pieces: readonly ReplyPiece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** The tokens of some pieces. */
export function tokensOf(pieces: readonly ReplyPiece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The pieces of each choice; those of an empty choice 0 where there are none at all. */
export function piecesByChoice({ pieces }: Pick<ScriptedReply, "pieces">): ReplyPiece[][] {
  const choices: ReplyPiece[][] = [[]];
  for (const piece of pieces) (choices[piece.choice ?? 0] ??= []).push(piece);
  return choices;
}

/** The pieces that are reasoning, and those that are not. */
export function splitReasoning(
  pieces: readonly ReplyPiece[],
): { readonly thoughts: ReplyPiece[]; readonly answer: ReplyPiece[] } {
  return {
    thoughts: pieces.filter(({ isReasoning }) => isReasoning),
    answer: pieces.filter(({ isReasoning }) => !isReasoning),
  };
}

/** An event of a stream; without a name if that is empty. */
export function eventFrame(data: unknown, name = ""): string {
  return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A line of a stream of JSON lines. */
export function lineFrame(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
