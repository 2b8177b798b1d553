/**
 * Parts that writers of replies have in common: the text of a script and the frames of streams.
 */

import type { ReplyPiece, ScriptedCall, ScriptedReply } from "./reply_writer.ts";

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

/** Pieces of one choice by what they belong to. */
export interface ReplyParts {
  readonly thoughts: readonly ReplyPiece[];
  readonly answer: readonly ReplyPiece[];
  readonly calls: readonly WholeCall[];
}

/** A tool call with all of its arguments. */
export interface WholeCall extends ScriptedCall {
  readonly argumentsText: string;
}

/** Returns the reasoning, the answer and the tool calls of the pieces of one choice. */
export function replyParts(pieces: readonly ReplyPiece[]): ReplyParts {
  const calls = new Map<number, WholeCall>();
  for (const { call, text } of pieces) {
    if (call === undefined) continue;
    const begun = calls.get(call.index)?.argumentsText ?? "";
    calls.set(call.index, { ...call, argumentsText: begun + text });
  }
  return {
    thoughts: pieces.filter(({ isReasoning }) => isReasoning),
    answer: pieces.filter(({ isReasoning, call }) => !isReasoning && call === undefined),
    calls: [...calls.values()],
  };
}

/** Whether the piece at a place is the first one of its tool call. */
export function opensCall(pieces: readonly ReplyPiece[], place: number): boolean {
  const call = pieces[place]?.call;
  return call !== undefined && pieces[place - 1]?.call?.index !== call.index;
}

/** An event of a stream; without a name if that is empty. */
export function eventFrame(data: unknown, name = ""): string {
  return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A line of a stream of JSON lines. */
export function lineFrame(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
