/**
 * The texts of a chat body that count as input tokens, in the order of the rule `joined-text`: each
 * tool's name, description and parameters, then per message its reasoning, its content, and the name
 * and arguments of its tool calls. The texts are joined by one space.
 */

import type { BodyFields } from "./body_format.ts";
import { contentTexts } from "./body_texts.ts";
import { isFields } from "./json_fields.ts";

/** Kinds of texts of a body; `salt` is a marker that the client puts into one of them. */
export const BODY_PARTS = [
  ...["system", "user", "assistant", "reasoning", "tool_calls", "tool_results", "tools"] as const,
  "salt",
] as const;

/** See {@linkcode BODY_PARTS}. */
export type BodyPart = typeof BODY_PARTS[number];

/** A text of a body, and what it is. */
export interface BodyPiece {
  readonly part: BodyPart;
  /** Not empty. */
  readonly text: string;
}

/** The members of an endpoint type that return the texts of a body, made from its pieces. */
export function inputOf(
  inputPieces: (fields: Readonly<BodyFields>) => BodyPiece[],
): {
  readonly inputPieces: typeof inputPieces;
  readonly inputTexts: (fields: Readonly<BodyFields>) => string[];
} {
  return {
    inputPieces,
    inputTexts: (fields) => inputPieces(fields).map(({ text }) => text),
  };
}

/** Returns the texts of tool definitions; parameters as compact JSON. */
export function toolPieces(tools: unknown): BodyPiece[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    if (!isFields(tool)) return [];
    const source = isFields(tool["function"]) ? tool["function"] : tool;
    // Anthropic's name of the parameters is input_schema.
    const parameters = source["parameters"] ?? source["input_schema"];
    return [
      source["name"],
      source["description"],
      isFields(parameters) ? JSON.stringify(parameters) : undefined,
    ].flatMap((text) => piecesOf("tools", text));
  });
}

/**
 * Returns the texts of a message: of chat completions, of Anthropic's Messages, whose content has
 * blocks of tool calls and results, or an item of OpenAI's Responses.
 */
export function messagePieces(message: unknown): BodyPiece[] {
  if (!isFields(message)) return [];
  const { role, content, reasoning_content: reasoning, tool_calls: calls } = message;
  if (role === undefined && typeof message["type"] === "string") return itemPieces(message);
  const part = partOfRole(role);
  return [
    ...piecesOf("reasoning", reasoning),
    ...typeof content === "string"
      ? piecesOf(part, content)
      : Array.isArray(content)
      ? content.flatMap((block) => blockPieces(block, part))
      : [],
    ...(Array.isArray(calls) ? calls.flatMap(callPieces) : []),
  ];
}

/** Texts of a part of a content. */
function blockPieces(block: unknown, part: BodyPart): BodyPiece[] {
  if (!isFields(block)) return [];
  switch (block["type"]) {
    case "thinking":
      return piecesOf("reasoning", block["thinking"]);
    case "tool_use":
      return callPieces({ "name": block["name"], "arguments": block["input"] });
    case "tool_result":
      return contentTexts(block["content"]).flatMap((text) => piecesOf("tool_results", text));
    default:
      return piecesOf(part, block["text"]);
  }
}

/** Texts of an item of OpenAI's Responses that is no message. */
function itemPieces(item: Readonly<Record<string, unknown>>): BodyPiece[] {
  switch (item["type"]) {
    case "function_call":
      return callPieces(item);
    case "function_call_output":
      return contentTexts(item["output"]).flatMap((text) => piecesOf("tool_results", text));
    case "reasoning":
      return [...contentTexts(item["summary"]), ...contentTexts(item["content"])]
        .flatMap((text) => piecesOf("reasoning", text));
    default:
      return contentTexts(item["content"]).flatMap((text) => piecesOf("user", text));
  }
}

/** Returns the texts of a whole body with `messages` and `tools`. */
export function bodyPieces(tools: unknown, messages: unknown): BodyPiece[] {
  return [
    ...toolPieces(tools),
    ...(Array.isArray(messages) ? messages.flatMap(messagePieces) : []),
  ];
}

/** Whether a body has more than messages of a system, users and the assistant. */
export function hasAgentPieces(pieces: readonly BodyPiece[]): boolean {
  return pieces.some(({ part }) =>
    part === "tools" || part === "tool_calls" || part === "tool_results" || part === "reasoning"
  );
}

function callPieces(call: unknown): BodyPiece[] {
  if (!isFields(call)) return [];
  const called = isFields(call["function"]) ? call["function"] : call;
  const given = called["arguments"];
  return [
    ...piecesOf("tool_calls", called["name"]),
    ...piecesOf(
      "tool_calls",
      typeof given === "string" || given === undefined || given === null
        ? given
        : JSON.stringify(given),
    ),
  ];
}

function piecesOf(part: BodyPart, text: unknown): BodyPiece[] {
  return typeof text === "string" && text !== "" ? [{ part, text }] : [];
}

function partOfRole(role: unknown): BodyPart {
  switch (role) {
    case "system":
    case "developer":
      return "system";
    case "assistant":
      return "assistant";
    case "tool":
    case "function":
      return "tool_results";
    default:
      return "user";
  }
}
