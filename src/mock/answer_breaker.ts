import type { ReplyPiece, ScriptedReply } from "../client/endpoint/protocol/reply_writer.ts";
import { randomStream } from "../core/statistics/random_stream.ts";
import { brokenForm, type FormKind, isFormKind } from "./broken_form.ts";
import type { CorruptionKind, MockOptions } from "./mock_options.ts";

/** Longest part of another prompt that a reply contains, in characters. */
const MAX_FOREIGN = 4000;
/** Share of the answer that stays as it is where only its rest changes. */
const KEPT_SHARE = 0.5;

/** A request whose answer may be broken. */
export interface AnsweredRequest {
  readonly number: number;
  /** Texts of its prompt. */
  readonly texts: readonly string[];
  /** Whether its answer has the form that it requires. */
  readonly hasForm: boolean;
  /** Requests that are served at once, this one included. */
  readonly running: number;
}

/** Breaks answers under load, as `--corrupt-above` asks. */
export class AnswerBreaker {
  readonly #options: Pick<MockOptions, "corruptions" | "seed">;
  /** Prompt of the request before, which broken answers contain. */
  #lastPrompt = "";

  constructor(options: Pick<MockOptions, "corruptions" | "seed">) {
    this.#options = options;
  }

  /** The reply to a request, and the way in which it is broken; undefined if it is whole. */
  replyTo(
    { number, texts, hasForm, running }: AnsweredRequest,
    reply: ScriptedReply,
  ): { readonly reply: ScriptedReply; readonly kind: CorruptionKind | undefined } {
    const { corruptions, seed } = this.#options;
    if (corruptions.length === 0) return { reply, kind: undefined };
    const foreign = this.#lastPrompt;
    this.#lastPrompt = texts.at(-1) ?? "";
    const drawn = randomStream(seed, "mock.corruptions", number)();
    const kind = corruptions.find(({ above, share }) => running > above && drawn < share)?.kind;
    if (kind === undefined) return { reply, kind };
    const pieces = isFormKind(kind)
      ? brokenForm(reply.pieces, kind, hasForm)
      : corruptedPieces(reply.pieces, kind, foreign);
    if (pieces === undefined) return { reply, kind: undefined };
    return { reply: { ...reply, pieces }, kind };
  }
}

/**
 * The pieces of a reply whose answer is broken in a way; undefined if it has only tool calls.
 * @param foreign prompt of another request
 */
function corruptedPieces(
  pieces: readonly ReplyPiece[],
  kind: Exclude<CorruptionKind, FormKind>,
  foreign: string,
): ReplyPiece[] | undefined {
  const answer = pieces.filter(({ call, isReasoning }) => call === undefined && !isReasoning);
  const first = answer[0];
  if (first === undefined) return undefined;
  const own = new Set(answer);
  const middle = answer[Math.floor(answer.length / 2)] as ReplyPiece;
  const inserted = (text: string): ReplyPiece[] =>
    pieces.map((piece) => piece === middle ? { ...piece, text: `${piece.text}${text}` } : piece);
  switch (kind) {
    case "empty":
      return [];
    case "repetition":
      return inserted(" again and".repeat(32));
    case "invalid_text":
      return inserted(" \uFFFD\uFFFD end");
    case "channel_leak":
      return inserted("</think><|im_end|>");
    case "foreign_text":
      return inserted(` ${foreign.slice(0, MAX_FOREIGN)}`);
    case "wrong_answer":
      return pieces.map((piece) =>
        own.has(piece) ? { ...piece, text: wrongText(piece.text) } : piece
      );
    case "drift": {
      const from = answer[Math.floor(answer.length * KEPT_SHARE)];
      const at = from === undefined ? 0 : pieces.indexOf(from);
      return pieces.map((piece, index) =>
        index < at || !own.has(piece) ? piece : { ...piece, text: piece.text.toUpperCase() }
      );
    }
  }
}

/** A text with other digits and letters, of the same length. */
function wrongText(text: string): string {
  return text.replace(/\d/g, (digit) => String(9 - Number(digit)))
    .replace(/[a-z]/g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)));
}
