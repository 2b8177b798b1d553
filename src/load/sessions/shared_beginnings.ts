import { messagePieces, toolPieces } from "../../client/endpoint/protocol/body_pieces.ts";
import type { AgentCall, BlockId, CallPrompt, PromptPart } from "./model/agent_session.ts";

/** How the prompt of a call begins. */
export interface SharedBeginning {
  /**
   * Fraction of the prompt that an earlier call of the session has from its beginning; NaN where the
   * call continues another one, whose tokens are counted.
   */
  readonly share: number;
  /** Whether it does not continue the prompt of the call before it of the same agent. */
  readonly isReset: boolean;
}

/** Earlier calls, and those with whole bodies of their own, that a body is compared with at most. */
const MAX_COMPARED = 64;

/**
 * Returns what the prompts of a session have in common, in the order of its calls.
 * @param bases the call that each call continues; undefined for a whole body
 */
export function sharedBeginnings(
  calls: readonly AgentCall[],
  bases: readonly (number | undefined)[],
  blockSize: number,
): SharedBeginning[] {
  const texts = new PromptTexts();
  const seen = new Set<BlockId>();
  const whole: number[] = [];
  return calls.map(({ prompt, predecessor }, place): SharedBeginning => {
    const before = predecessor === undefined ? undefined : calls[predecessor]?.prompt;
    switch (prompt.kind) {
      case "blocks": {
        const first = prompt.blocks.findIndex((block) => !seen.has(block));
        const known = first < 0 ? prompt.blocks.length : first;
        for (const block of prompt.blocks) seen.add(block);
        return { share: known * blockSize / prompt.inputTokens, isReset: !goesOn(before, prompt) };
      }
      case "none":
        return { share: NaN, isReset: false };
      case "texts": {
        if (bases[place] !== undefined) return { share: NaN, isReset: false };
        const first = Math.max(0, place - MAX_COMPARED);
        const latest = Array.from({ length: place - first }, (_, i) => first + i);
        const compared = new Set([...whole.slice(-MAX_COMPARED), ...latest]);
        if (predecessor !== undefined) compared.add(predecessor);
        whole.push(place);
        const own = texts.of(prompt);
        const least = before?.kind === "texts" ? texts.of(before) : [];
        const known = [...compared].reduce((most, other) => {
          const earlier = (calls[other] as AgentCall).prompt;
          return earlier.kind === "texts" ? Math.max(most, common(own, texts.of(earlier))) : most;
        }, 0);
        return {
          share: known / Math.max(1, lengthOf(own)),
          isReset: before !== undefined && common(own, least) < lengthOf(least),
        };
      }
    }
  });
}

function goesOn(
  before: CallPrompt | undefined,
  { blocks }: Extract<CallPrompt, { kind: "blocks" }>,
): boolean {
  return before?.kind !== "blocks" ||
    before.blocks.every((block, place) => block === blocks[place]);
}

/** A text, or a text of unknown content, of a prompt. */
interface Piece {
  readonly text: string;
  /** Bytes of a text, tokens of an unknown one. */
  readonly length: number;
}

/** Texts of prompts, by the rule `joined-text`. */
class PromptTexts {
  readonly #parts = new Map<PromptPart, readonly Piece[]>();
  readonly #tools = new Map<unknown, readonly Piece[]>();
  readonly #encoder = new TextEncoder();

  of({ tools, parts }: Extract<CallPrompt, { kind: "texts" }>): Piece[] {
    return [
      ...this.#toolsOf(tools),
      ...parts.flatMap((part) => this.#partOf(part)),
    ];
  }

  #toolsOf(tools: unknown): readonly Piece[] {
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const pieces = toolPieces(tools).map(({ text }) => this.#piece(text));
    this.#tools.set(tools, pieces);
    return pieces;
  }

  #partOf(part: PromptPart): readonly Piece[] {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const pieces = part.kind === "message"
      ? messagePieces(part.message).map(({ text }) => this.#piece(text))
      : [{ text: `\u0000${part.key} ${part.from} ${part.to}`, length: part.to - part.from }];
    this.#parts.set(part, pieces);
    return pieces;
  }

  #piece(text: string): Piece {
    return { text, length: this.#encoder.encode(text).length };
  }
}

/** Length of the joined texts. */
function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { length }) => sum + length + 1, -1);
}

/** Length of the beginning that two prompts have in common. */
function common(own: readonly Piece[], other: readonly Piece[]): number {
  let place = 0;
  let length = -1;
  while (place < Math.min(own.length, other.length) && own[place]?.text === other[place]?.text) {
    length += (own[place] as Piece).length + 1;
    place++;
  }
  const [a, b] = [own[place], other[place]];
  if (a === undefined || b === undefined) return Math.max(0, length);
  let same = 0;
  while (same < a.text.length && a.text[same] === b.text[same]) same++;
  return Math.max(0, length) + (place > 0 ? 1 : 0) + same * a.length / Math.max(1, a.text.length);
}
