import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import { readExpected } from "../../../measurement/answers/expected/read_expected.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the tool calls of a recorded reply as the expected answer; undefined if it has none, or one
 * of them cannot be read. Calls are those of chat completions, of the Responses API and of Anthropic's
 * Messages API.
 * @param messages of the reply
 */
export function recordedToolCalls(messages: readonly Fields[]): Expected | undefined {
  const calls = messages.filter(({ role, type }) => role === "assistant" || type === CALL)
    .flatMap(callsOf);
  if (calls.length === 0) return undefined;
  try {
    return readExpected({ "tool_calls": calls });
  } catch (error) {
    // Recordings may cut arguments off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Type of an item of the Responses API that is a call. */
const CALL = "function_call";

function callsOf(message: Fields): unknown[] {
  if (message["type"] === CALL) return [message];
  const uses = listOf(message["content"]).filter(isFields)
    .filter(({ type }) => type === "tool_use")
    .map(({ name, input }) => ({ name, "arguments": input }));
  const legacy = message["function_call"];
  return [...listOf(message["tool_calls"]), ...uses, ...(legacy ? [legacy] : [])];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
