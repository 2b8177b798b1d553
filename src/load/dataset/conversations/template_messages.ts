import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";
import type { ChatTemplate, TemplateMessage } from "../tokenizers/chat_template.ts";

/**
 * Messages as servers pass them to a chat template. Arguments of tool calls that are JSON become
 * objects, because templates would quote them twice. A content of null is left out. The texts of a
 * content with parts are joined, unless the template reads parts.
 */
export function templateMessages(
  messages: readonly unknown[],
  { readsParts }: Pick<ChatTemplate, "readsParts">,
): TemplateMessage[] {
  return messages.map((message) => {
    const { role, content, tool_calls: calls, ...others } = isFields(message) ? message : {};
    const text = Array.isArray(content) && !readsParts ? joinedTexts(content) : content;
    return {
      ...others,
      "role": String(role),
      ...(text === null || text === undefined ? {} : { "content": text }),
      ...(Array.isArray(calls) ? { "tool_calls": calls.map(templateCall) } : {}),
    };
  });
}

function joinedTexts(parts: readonly unknown[]): string {
  return parts.map((part) => isFields(part) ? part["text"] ?? "" : "").join("");
}

function templateCall(call: unknown): unknown {
  if (!isFields(call) || !isFields(call["function"])) return call;
  const { arguments: given } = call["function"];
  if (typeof given !== "string") return call;
  try {
    return { ...call, "function": { ...call["function"], "arguments": JSON.parse(given) } };
  } catch {
    return call;
  }
}
