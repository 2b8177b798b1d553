/** How the turns of a conversation become one request body, where an API takes them all. */

import type { BodyFields } from "./body_format.ts";
import type { BodySettings, PromptContent } from "./prompt_content.ts";
import type { ReplyContent } from "./reply_content.ts";
import { isFields } from "./delta.ts";

/** A message as the API has it: its role, its content, calls of tools. */
export type Message = Readonly<Record<string, unknown>>;

/** Settings of a request with ready messages, apart from the messages. */
export type TurnSettings = Pick<PromptContent, "outputTokens" | "extra">;

/** Result of a tool call. */
export interface ToolResult {
  /** Id of the call; undefined if the input has none. */
  readonly id: string | undefined;
  readonly text: string;
}

/** See the module's comment. Bodies are JSON. */
export interface ConversationFormat {
  /** The field of a body that has the messages. */
  readonly messagesField: string;
  /** The field before it with the system message, where that is none of the messages. */
  readonly systemField?: string;
  /** The message of a user; media and several texts as parts. */
  userMessage(content: Pick<PromptContent, "texts" | "images" | "audios" | "videos">): Message;
  /** The message that comes before all others, with the role `system`. */
  systemMessage(text: string): Message;
  /** The message with the result of a tool call. */
  toolMessage(result: ToolResult): Message;
  /**
   * The fields of a body with these messages, in the order of the endpoint type's own: before the
   * messages there is nothing but a system message, so that later turns can begin like the first.
   */
  buildBody(
    messages: readonly Message[],
    turn: TurnSettings,
    settings: BodySettings,
  ): BodyFields;
  /**
   * The message that feeds a reply back, as the bytes of its JSON: its text and its calls of tools
   * with their ids, without its reasoning, which templates of models leave out as well.
   */
  replyMessage(reply: ReplyContent): Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/**
 * Bytes of a body between which its messages lie, without what encloses them; undefined if it has
 * none there. Several messages have a comma between them.
 */
export function messagesSpan(
  { messagesField, systemField }: Pick<ConversationFormat, "messagesField" | "systemField">,
  fields: Readonly<BodyFields>,
): { start: number; end: number } | undefined {
  const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
  // The brace, and behind each name a colon.
  let start = 1;
  for (const [name, value] of Object.entries(fields)) {
    if (name === messagesField) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      start += bytesOf(name) + 2;
      return { start, end: start + bytesOf(value) - 2 };
    }
    if (name !== systemField) return undefined;
    start += bytesOf(name) + bytesOf(value) + 2;
  }
  return undefined;
}

/** A value behind the messages that is shorter is not worth a place of its own. */
const LONG_BYTES = 256;

/**
 * Bytes of a body between which the first long value behind its messages lies, such as definitions
 * of tools, and the JSON of that; undefined if there is none.
 * @param length of the body
 */
export function longValue(
  { messagesField }: Pick<ConversationFormat, "messagesField">,
  fields: Readonly<BodyFields>,
  length: number,
): { readonly start: number; readonly end: number; readonly text: string } | undefined {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined);
  const behind = all.slice(all.findIndex(([name]) => name === messagesField) + 1)
    .map(([name, value]) => ({ name, text: JSON.stringify(value) }));
  const place = behind.findIndex(({ text }) => text.length >= LONG_BYTES);
  const found = behind[place];
  if (found === undefined) return undefined;
  const bytesOf = (text: string): number => encoder.encode(text).length;
  // From the closing brace back: a comma, a name and a colon are before each value.
  const after = behind.slice(place + 1).reduce(
    (sum, { name, text }) => sum + 2 + bytesOf(JSON.stringify(name)) + bytesOf(text),
    1,
  );
  const end = length - after;
  return { start: end - bytesOf(found.text), end, text: found.text };
}

/** The messages of a body as a template of a model takes them; undefined if it has none. */
export function messagesOf(
  format: Pick<ConversationFormat, "messagesField" | "systemField"> | undefined,
  fields: Readonly<BodyFields>,
): readonly unknown[] | undefined {
  const { messagesField = "messages", systemField } = format ?? {};
  const messages = fields[messagesField];
  if (!Array.isArray(messages)) return undefined;
  const system = systemField === undefined ? undefined : fields[systemField];
  return system === undefined ? messages : [{ "role": "system", "content": system }, ...messages];
}

/**
 * Returns the arguments of a call for APIs that have them as an object; an empty object for
 * anything else.
 */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
