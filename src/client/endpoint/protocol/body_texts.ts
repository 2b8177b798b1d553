/** The texts and images of request bodies, wherever the field that has them keeps them. */

import { isFields } from "./delta.ts";

/** The texts of a content: a string, or parts that have a `text`. */
export function contentTexts(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) =>
    isFields(part) && typeof part["text"] === "string" ? [part["text"]] : []
  );
}

/** The number of content parts of one type in a list of messages. */
export function countParts(messages: unknown, type: string): number {
  if (!Array.isArray(messages)) return 0;
  return messages.reduce((sum: number, message) => {
    const content = isFields(message) ? message["content"] : undefined;
    if (!Array.isArray(content)) return sum;
    return sum + content.filter((part) => isFields(part) && part["type"] === type).length;
  }, 0);
}
