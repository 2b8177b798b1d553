import { isFields } from "../../../client/endpoint/protocol/delta.ts";
import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";

/**
 * Returns the messages of an attribute such as `gen_ai.input.messages`: a JSON text or a list, of
 * messages with parts, as OpenTelemetry has them, or of ready messages.
 */
export function otelMessages(value: unknown): Message[] {
  const list = jsonOf(value);
  if (!Array.isArray(list)) return [];
  return list.filter(isFields).flatMap((message) => {
    const { role, parts } = message;
    return Array.isArray(parts) ? messagesOfParts(role, parts) : [message];
  });
}

/** Returns the system message of `gen_ai.system_instructions`, as a list. */
export function otelInstructions(value: unknown): Message[] {
  const list = jsonOf(value);
  if (typeof list === "string" && list !== "") return [{ "role": "system", "content": list }];
  if (!Array.isArray(list) || list.length === 0) return [];
  const texts = list.filter(isFields).map(({ content }) =>
    typeof content === "string" ? content : ""
  );
  return [{ "role": "system", "content": texts.join("") }];
}

/** Returns the tool definitions of `gen_ai.tool.definitions`; undefined for none. */
export function otelTools(value: unknown): unknown[] | undefined {
  const list = jsonOf(value);
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

function messagesOfParts(role: unknown, parts: readonly unknown[]): Message[] {
  const texts: string[] = [];
  const calls: Message[] = [];
  const results: Message[] = [];
  for (const part of parts) {
    if (!isFields(part)) continue;
    switch (part["type"]) {
      case "text":
        texts.push(typeof part["content"] === "string" ? part["content"] : "");
        break;
      case "tool_call": {
        const { id, name, arguments: given } = part;
        const called = { "name": name, "arguments": textOf(given) };
        calls.push({ "id": id, "type": "function", "function": called });
        break;
      }
      case "tool_call_response": {
        // A result of null is a result, and is written as one.
        const name = ["response", "result"].find((one) => one in part);
        const content = name === undefined ? "" : textOf(part[name]);
        results.push({ "role": "tool", "tool_call_id": part["id"], "content": content });
        break;
      }
    }
  }
  const content = texts.join("");
  const spoken = texts.length === 0 && calls.length === 0 ? [] : [{
    "role": role,
    "content": content === "" ? null : content,
    ...(calls.length === 0 ? {} : { "tool_calls": calls }),
  }];
  return [...spoken, ...results];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
