/**
 * The texts of a chat body that count as input tokens, in the order of the rule `joined-text`: each
 * tool's name, description and parameters, then per message its reasoning, its content, and the name
 * and arguments of its tool calls. The texts are joined by one space.
 */

import { isFields } from "./delta.ts";
import { contentTexts } from "./body_texts.ts";

/** Kinds of texts of a body. */
export const BODY_PARTS = [
  ...["system", "user", "assistant", "reasoning", "tool_calls", "tool_results", "tools"] as const,
] as const;

/** See {@linkcode BODY_PARTS}. */
export type BodyPart = typeof BODY_PARTS[number];

/** A text of a body, and what it is. */
export interface BodyPiece {
  readonly part: BodyPart;
  /** Not empty. */
  readonly text: string;
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

/** Returns the texts of a message. */
export function messagePieces(message: unknown): BodyPiece[] {
  if (!isFields(message)) return [];
  const { role, content, reasoning_content: reasoning, tool_calls: calls } = message;
  return [
    ...piecesOf("reasoning", reasoning),
    ...contentTexts(content).flatMap((text) => piecesOf(partOfRole(role), text)),
    ...(Array.isArray(calls) ? calls.flatMap(callPieces) : []),
  ];
}

/** Returns the texts of a whole body with `messages` and `tools`. */
export function bodyPieces(tools: unknown, messages: unknown): BodyPiece[] {
  return [
    ...toolPieces(tools),
    ...(Array.isArray(messages) ? messages.flatMap(messagePieces) : []),
  ];
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
