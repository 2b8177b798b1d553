/** Tool calls of the mock's replies, by the tools that a request offers. */

import type {
  OfferedTool,
  ToolConstraint,
} from "../client/endpoint/constraint/reply_constraint.ts";
import { toolConstraintOf } from "../client/endpoint/constraint/tool_constraint.ts";
import type { BodyFields } from "../client/endpoint/protocol/body_format.ts";
import { isFields } from "../client/endpoint/protocol/json_fields.ts";
import type { ReplyPiece } from "../client/endpoint/protocol/reply_writer.ts";
import { randomStream } from "../core/statistics/random_stream.ts";
import type { Tokenizer } from "../load/dataset/tokenizers/tokenizer.ts";
import type { MockOptions } from "./mock_options.ts";
import { schemaInstance } from "./schema_instance.ts";
import { textPieces } from "./text_pieces.ts";

/** A tool call of a reply. */
export interface MockCall {
  readonly name: string;
  /** JSON of an object that fits the tool's schema. */
  readonly argumentsText: string;
}

/**
 * Returns the tool calls in the reply to a request: none without tools or where the request wants none,
 * and at least one where it requires a call.
 */
export function mockCalls(
  fields: BodyFields,
  number: number,
  { toolCalls, seed }: Pick<MockOptions, "toolCalls" | "seed">,
): MockCall[] {
  const { isSingle, offered, only, use } = toolConstraintOf(fields) ?? NO_TOOLS;
  const tools = offered.filter(({ name }) => only === undefined || only.includes(name));
  if (tools.length === 0 || use === "none") return [];
  const random = randomStream(seed, "mock.tool_calls", number);
  const drawn = toolCalls >= 1 ? toolCalls : Number(random() < toolCalls);
  const count = Math.max(drawn, use === "required" ? 1 : 0);
  return Array.from({ length: isSingle ? Math.min(count, 1) : count }, () => {
    const { name, schema } = tools[Math.floor(random() * tools.length)] as OfferedTool;
    const value = schemaInstance({ "type": "object", ...(isFields(schema) ? schema : {}) }, random);
    return { name, argumentsText: JSON.stringify(value ?? {}) };
  });
}

const NO_TOOLS: ToolConstraint = { offered: [], isOpen: false, use: "none" };

/** How a reply's tool calls are cut into pieces. */
export interface CallPieceOptions {
  /** Names the reply. */
  readonly id: string;
  readonly tokenizer: Tokenizer;
  readonly tokensPerChunk: number;
  /** Whether a call comes as one piece. */
  readonly isWhole: boolean;
  /** Tokens that may be written; the rest is cut. */
  readonly maxTokens: number;
}

/** Pieces of tool calls. */
export interface CalledPieces {
  readonly pieces: readonly ReplyPiece[];
  /** Whether some did not fit into the limit. */
  readonly isCut: boolean;
}

/** Returns the pieces of tool calls: of each its name first, then its arguments. */
export function callPieces(
  calls: readonly MockCall[],
  { id, tokenizer, tokensPerChunk, isWhole, maxTokens }: CallPieceOptions,
): CalledPieces {
  let left = maxTokens;
  const pieces = calls.flatMap(({ name, argumentsText }, index) => {
    const call = { index, id: `call_${id}_${index}`, name };
    const nameTokens = tokenizer.count(name);
    const given = textPieces(argumentsText, tokenizer, tokensPerChunk);
    const texts = isWhole
      ? [{ text: argumentsText, tokens: nameTokens + tokenizer.count(argumentsText) }]
      : [{ text: "", tokens: nameTokens }, ...given];
    return texts.flatMap(({ text, tokens }) => {
      left -= tokens;
      return left < 0 ? [] : [{ text, tokens, isReasoning: false, call }];
    });
  });
  return { pieces, isCut: left < 0 };
}
