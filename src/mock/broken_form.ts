import type { ReplyPiece } from "../client/endpoint/protocol/reply_writer.ts";
import type { CorruptionKind } from "./mock_options.ts";

/** Ways to break the form of a reply. */
const FORM_KINDS = ["invalid_json", "invalid_form", "wrong_tool"] as const;

/** See {@linkcode FORM_KINDS}. */
export type FormKind = typeof FORM_KINDS[number];

/** Whether a kind breaks the form that a request requires, not the words of an answer. */
export function isFormKind(kind: CorruptionKind): kind is FormKind {
  return FORM_KINDS.some((known) => known === kind);
}

/**
 * Returns the pieces of a reply that breaks the form of its answer or tool calls; undefined where the
 * kind does not apply.
 * @param hasForm whether the answer has a form that the request requires
 */
export function brokenForm(
  pieces: readonly ReplyPiece[],
  kind: FormKind,
  hasForm: boolean,
): ReplyPiece[] | undefined {
  const calls = pieces.filter(({ call }) => call !== undefined);
  const answer = hasForm ? pieces.filter(({ call, isReasoning }) => !call && !isReasoning) : [];
  switch (kind) {
    case "wrong_tool":
      return calls.length === 0 ? undefined : pieces.map((piece) => {
        const { call } = piece;
        return call === undefined ? piece : { ...piece, call: { ...call, name: `${call.name}_2` } };
      });
    case "invalid_json": {
      // Where a call comes as one piece, its arguments are an object and no text.
      const broken = calls[0]?.text === "" ? calls : answer;
      return /^[{["]/.test(textOf(broken, 0)) ? halved(pieces, broken) : undefined;
    }
    case "invalid_form":
      return answer.length === 0 ? undefined : wrapped(pieces, answer);
  }
}

function textOf(pieces: readonly ReplyPiece[], wanted: number): string {
  return pieces.filter(({ choice = 0 }) => choice === wanted).map(({ text }) => text).join("");
}

/** The text of some pieces ends after its first half. */
function halved(pieces: readonly ReplyPiece[], broken: readonly ReplyPiece[]): ReplyPiece[] {
  const own = new Set(broken);
  const left = new Map<number, number>();
  return pieces.flatMap((piece) => {
    if (!own.has(piece)) return [piece];
    const { choice = 0, text } = piece;
    const rest = left.get(choice) ?? textOf(broken, choice).length >> 1;
    left.set(choice, rest - text.length);
    if (rest <= 0 && text !== "") return [];
    return [{ ...piece, text: text.slice(0, Math.max(0, rest)) }];
  });
}

/** An object becomes a list, other JSON the value of an object, other text a part of a sentence. */
function wrapped(pieces: readonly ReplyPiece[], broken: readonly ReplyPiece[]): ReplyPiece[] {
  const first = new Map<number, ReplyPiece>();
  const last = new Map<number, ReplyPiece>();
  for (const piece of broken) {
    const { choice = 0 } = piece;
    if (!first.has(choice)) first.set(choice, piece);
    last.set(choice, piece);
  }
  return pieces.map((piece) => {
    const { choice = 0 } = piece;
    const [isFirst, isLast] = [first.get(choice) === piece, last.get(choice) === piece];
    if (!isFirst && !isLast) return piece;
    const [before, after] = wrapping(textOf(broken, choice));
    return { ...piece, text: `${isFirst ? before : ""}${piece.text}${isLast ? after : ""}` };
  });
}

function wrapping(text: string): readonly [before: string, after: string] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? ["[", "]"]
      : ['{"wrapped":', "}"];
  } catch {
    return ["not ", " at all"];
  }
}
