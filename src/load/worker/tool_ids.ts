/** IDs of tool calls in messages, as the APIs of conversations have them. */

import type { Message } from "../../client/endpoint/protocol/conversation_format.ts";
import { isFields } from "../../client/endpoint/protocol/json_fields.ts";

/** Fields in which results of tools name their call, each of a kind of message or content. */
const RESULT_FIELDS = [
  ["role", "tool", "tool_call_id"],
  ["type", "function_call_output", "call_id"],
  ["type", "tool_result", "tool_use_id"],
] as const;

/** Returns the IDs of the tool calls in messages, in their order. */
export function toolCallIds(messages: readonly Message[]): string[] {
  return messages.flatMap((message): string[] => {
    const { tool_calls: calls, content, type, call_id: id } = message;
    const blocks = Array.isArray(content) ? content.filter(isFields) : [];
    return [
      ...(Array.isArray(calls) ? calls.filter(isFields).map((call) => String(call["id"])) : []),
      ...blocks.filter((block) => block["type"] === "tool_use").map(({ id }) => String(id)),
      ...(type === "function_call" ? [String(id)] : []),
    ];
  });
}

/** Returns the IDs of the calls whose results are in messages, in their order, each once. */
export function toolResultIds(messages: readonly Message[]): string[] {
  const ids = new Set<string>();
  for (const message of messages) {
    for (const part of resultsIn(message)) {
      const field = resultField(part);
      if (field !== undefined) ids.add(String(part[field]));
    }
  }
  return [...ids];
}

/** Returns messages whose results of tools name other calls. */
export function withToolIds(
  messages: readonly Message[],
  ids: ReadonlyMap<string, string>,
): Message[] {
  const renamed = (part: Message): Message => {
    const field = resultField(part);
    const id = field === undefined ? undefined : ids.get(String(part[field]));
    return field === undefined || id === undefined ? part : { ...part, [field]: id };
  };
  return messages.map((message) => {
    const { content } = message;
    const own = renamed(message);
    if (!Array.isArray(content)) return own;
    return { ...own, content: content.map((part) => isFields(part) ? renamed(part) : part) };
  });
}

function resultsIn(message: Message): Message[] {
  const { content } = message;
  return [message, ...(Array.isArray(content) ? content.filter(isFields) : [])];
}

function resultField(part: Message): string | undefined {
  return RESULT_FIELDS.find(([name, value, field]) => part[name] === value && field in part)?.[2];
}
