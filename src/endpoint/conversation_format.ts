/** How the turns of a conversation become one request body, where an API takes them all. */

import type { BodyFields } from "./body_format.ts";
import type { BodySettings, PromptContent } from "./prompt_content.ts";
import type { ReplyContent } from "./reply_content.ts";

/** A message as the API has it: its role, its content, calls of tools. */
export type Message = Readonly<Record<string, unknown>>;

/** What a request with ready messages asks for besides them. */
export type TurnSettings = Pick<PromptContent, "outputTokens" | "extra">;

/** See the module's comment. Bodies are JSON. */
export interface ConversationFormat {
  /** The message of a user; images and several texts as parts. */
  userMessage(content: Pick<PromptContent, "texts" | "images" | "audios" | "videos">): Message;
  /** The message that comes before all others. */
  systemMessage(text: string): Message;
  /** The fields of a body with these messages, in the order of the endpoint type's own. */
  buildBody(
    messages: readonly Message[],
    turn: TurnSettings,
    settings: BodySettings,
  ): BodyFields;
  /**
   * Bytes between which the messages of a body lie, without what encloses them; undefined if it has
   * none there. Several messages have a comma between them.
   */
  messagesSpan(fields: Readonly<BodyFields>): { start: number; end: number } | undefined;
  /**
   * The message that feeds a reply back, as the bytes of its JSON: its text and its calls of tools
   * with their ids, without its reasoning, which templates of models leave out as well.
   */
  replyMessage(reply: ReplyContent): Uint8Array<ArrayBuffer>;
}
