import { type Delta, isFields, stringOf } from "./delta.ts";
import { partText, readReasoning } from "./reasoning_fields.ts";

/** Types of parts of a content that are reasoning, as Mistral's and Databricks' are. */
const REASONING_PARTS = /^(reasoning|thinking|thought)/;

/** Reads a message, or what an event adds to one, into `delta`. */
export function readMessage(message: Record<string, unknown>, delta: Delta): void {
  const { content } = message;
  if (content !== undefined && content !== null) readContent(content, delta);
  readReasoning(message, delta);
  if (message["refusal"] !== undefined) delta.text += stringOf(message["refusal"]);
  const calls = message["tool_calls"];
  if (Array.isArray(calls)) {
    calls.forEach((call, place) => {
      if (isFields(call)) readToolCall(call, place, delta);
    });
  }
  if (message["function_call"] !== undefined) readFunction(message["function_call"], delta);
}

function readToolCall(call: Record<string, unknown>, place: number, delta: Delta): void {
  const { id, index } = call;
  const named = isFields(call["function"]) ? call["function"] : {};
  delta.toolCalls.push({
    index: typeof index === "number" ? index : place,
    id: stringOf(id),
    name: stringOf(named["name"]),
    argumentsText: stringOf(named["arguments"]),
  });
  readFunction(named, delta);
}

function readFunction(call: unknown, delta: Delta): void {
  if (!isFields(call)) return;
  delta.toolText += stringOf(call["name"]) + stringOf(call["arguments"]);
}

/** The text of a content field: a string, or a list of parts as some servers send it. */
function readContent(content: unknown, delta: Delta): void {
  if (typeof content === "string") {
    delta.text += content;
  } else if (Array.isArray(content)) {
    for (const part of content) {
      if (!isFields(part)) continue;
      if (REASONING_PARTS.test(stringOf(part["type"]))) delta.reasoning += partText(part);
      else delta.text += stringOf(part["text"]);
    }
  }
}
