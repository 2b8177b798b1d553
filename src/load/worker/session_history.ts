import type { ConversationFormat } from "../../client/endpoint/protocol/conversation_format.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { ConversationColumns } from "../dataset/payloads/conversation_columns.ts";
import type { PayloadSource } from "../dataset/payloads/payload_table.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";
import { type JoinedReply, joinedReply } from "./joined_reply.ts";

const COMMA = new Uint8Array([44]);

/**
 * Messages of a session so far, as its next request carries them. Results of tools name the calls of
 * the live replies.
 *
 * Sent messages are in the payload table and are not copied; for the replies, the bytes of their
 * messages are kept until the session is over.
 */
export class SessionHistory {
  readonly #payloads: PayloadSource;
  readonly #format: ConversationFormat;
  readonly #pieces: Uint8Array[] = [];
  /**
   * Part of the first body before its messages: includes a system message that is separate from
   * them.
   */
  #opening: readonly Uint8Array[] = [];
  /** The last reply; undefined before the first one, and once it is among the pieces. */
  #reply: Uint8Array | undefined;
  #ids: JoinedReply["ids"] = new Map();
  /** The last reply with the messages of the turn after it, and the number of its entry. */
  #joined: { readonly number: number; readonly joined: JoinedReply } | undefined;

  constructor(payloads: PayloadSource, format: ConversationFormat) {
    this.#payloads = payloads;
    this.#format = format;
  }

  /** The body of an entry; the history comes before its own messages if it follows one. */
  bodyOf(number: number, model: number, turn?: SaltedTurn): Uint8Array[] {
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0 || conversations?.followsHistory[entry] !== 1 || this.#reply === undefined) {
      return table.bodyOf(entry, model, turn);
    }
    const end = conversations?.messagesEnd[entry] as number;
    const { reply, own } = this.#join(number, model, turn);
    return [
      ...this.#opening,
      ...this.#pieces,
      ...(reply === undefined ? [] : [reply, COMMA]),
      ...own,
      ...table.pieceOf(entry, model, end, Infinity, turn),
    ];
  }

  /** Whether the last body has results of other tool calls than the live reply before them. */
  hasDiverged(): boolean {
    return this.#joined?.joined.hasDiverged ?? false;
  }

  /** Adds the messages of an entry and the reply to them; nothing of a body without messages. */
  add(number: number, model: number, reply: ReplyContent, turn?: SaltedTurn): void {
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0) return;
    if (this.#opening.length === 0) {
      this.#opening = table.pieceOf(entry, model, 0, start, turn);
    }
    const joined = this.#join(number, model, turn);
    if (joined.reply !== undefined) this.#pieces.push(joined.reply, COMMA);
    this.#pieces.push(...joined.own, COMMA);
    this.#ids = joined.ids;
    this.#reply = this.#format.replyMessage(reply);
    this.#joined = undefined;
  }

  /** The last reply and the messages of an entry that has some. */
  #join(number: number, model: number, turn: SaltedTurn | undefined): JoinedReply {
    if (this.#joined?.number === number) return this.#joined.joined;
    const { table, entry } = this.#payloads.locate(number);
    const { messagesStart, messagesEnd } = table.data.conversations as ConversationColumns;
    const [start, end] = [messagesStart[entry] as number, messagesEnd[entry] as number];
    const own = table.pieceOf(entry, model, start, end, turn);
    // Lists have no recorded replies.
    const joined = joinedReply(this.#reply, undefined, own, this.#ids);
    this.#joined = { number, joined };
    return joined;
  }
}
