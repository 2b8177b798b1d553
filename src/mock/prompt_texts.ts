/**
 * The texts that a prompt of messages consists of, read by the mock's own rules: a load generator that
 * forgets some of them must not agree with a mock that forgets the same.
 */

import { isFields } from "../client/endpoint/protocol/json_fields.ts";

/** A JSON object. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the texts of a body with messages, definitions of tools first; undefined for other bodies.
 * Of a tool these are its name, its description and the JSON of its parameters; of a message its
 * thoughts, its content, and the name and arguments of each call.
 */
export function promptTexts(body: Fields): string[] | undefined {
  const turns = listOf(body["messages"] ?? body["input"]).filter(isFields);
  if (turns.length === 0) return undefined;
  const found: string[] = [];
  const take = (value: unknown): void => {
    const text = typeof value === "string" || value === undefined || value === null
      ? value
      : JSON.stringify(value);
    if (text) found.push(text);
  };
  const takeContent = (content: unknown): void => {
    if (typeof content === "string") return take(content);
    for (const block of listOf(content).filter(isFields)) {
      const { type, text, thinking, name, input, content: inner } = block;
      if (type === "tool_use") [name, input].forEach(take);
      else if (type === "tool_result") takeContent(inner);
      else if (typeof (text ?? thinking) === "string") take(text ?? thinking);
    }
  };
  for (const tool of listOf(body["tools"]).filter(isFields)) {
    const { name, description, parameters, input_schema: schema } = inside(tool);
    [name, description, parameters ?? schema].forEach(take);
  }
  [body["system"], body["instructions"]].forEach(takeContent);
  for (const turn of turns) {
    take(turn["reasoning_content"]);
    [turn["content"], turn["summary"], turn["output"]].forEach(takeContent);
    const calls = turn["type"] === "function_call" ? [turn] : listOf(turn["tool_calls"]);
    for (const call of calls.filter(isFields)) {
      const { name, arguments: given } = inside(call);
      [name, given].forEach(take);
    }
  }
  return found;
}

/** The object under `function` of a definition or a call; the value itself where it is flat. */
function inside(value: Fields): Fields {
  return isFields(value["function"]) ? value["function"] : value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
