/** Tool calls of the mock's replies, by the tools that a request offers. */

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

/** A tool that a request offers. */
interface Tool {
  readonly name: string;
  readonly schema: unknown;
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
  const { kind, name: chosen } = toolChoice(fields["tool_choice"]);
  const tools = offeredTools(fields["tools"])
    .filter(({ name }) => chosen === undefined || name === chosen);
  if (tools.length === 0 || kind === "none") return [];
  const random = randomStream(seed, "mock.tool_calls", number);
  const drawn = toolCalls >= 1 ? toolCalls : Number(random() < toolCalls);
  const count = Math.max(drawn, kind === "required" ? 1 : 0);
  return Array.from({ length: isParallel(fields) ? count : Math.min(count, 1) }, () => {
    const { name, schema } = tools[Math.floor(random() * tools.length)] as Tool;
    const value = schemaInstance({ "type": "object", ...(isFields(schema) ? schema : {}) }, random);
    return { name, argumentsText: JSON.stringify(value ?? {}) };
  });
}

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

/** Tools in the forms of OpenAI's, Anthropic's and Ollama's APIs. */
function offeredTools(tools: unknown): Tool[] {
  return (Array.isArray(tools) ? tools.filter(isFields) : []).flatMap((tool) => {
    const { name, parameters, input_schema: schema } = isFields(tool["function"])
      ? tool["function"]
      : tool;
    return typeof name === "string" ? [{ name, schema: parameters ?? schema }] : [];
  });
}

/** Whether a request requires a call, and the only tool that it allows; absent for any. */
function toolChoice(
  choice: unknown,
): { readonly kind: "auto" | "none" | "required"; readonly name?: string } {
  if (choice === "none" || choice === "required") return { kind: choice };
  if (!isFields(choice)) return { kind: "auto" };
  const { type, name: flat } = choice;
  const name = isFields(choice["function"]) ? choice["function"]["name"] : flat;
  if (typeof name === "string") return { kind: "required", name };
  if (type === "any") return { kind: "required" };
  return { kind: type === "none" ? "none" : "auto" };
}

function isParallel({ parallel_tool_calls: parallel, tool_choice: choice }: BodyFields): boolean {
  return parallel !== false &&
    !(isFields(choice) && choice["disable_parallel_tool_use"] === true);
}
