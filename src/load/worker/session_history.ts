import type { ConversationFormat } from "../../client/endpoint/protocol/conversation_format.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { PayloadSource } from "../dataset/payloads/payload_table.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";

const COMMA = new Uint8Array([44]);

/**
 * Messages of a session so far, as its next request carries them.
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

  constructor(payloads: PayloadSource, format: ConversationFormat) {
    this.#payloads = payloads;
    this.#format = format;
  }

  /** The body of an entry; the history comes before its own messages if it follows one. */
  bodyOf(number: number, model: number, turn?: SaltedTurn): Uint8Array[] {
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0 || conversations?.followsHistory[entry] !== 1 || this.#pieces.length === 0) {
      return table.bodyOf(entry, model, turn);
    }
    return [
      ...this.#opening,
      ...this.#pieces,
      ...table.pieceOf(entry, model, start, Infinity, turn),
    ];
  }

  /** Adds the messages of an entry and the reply to them; nothing of a body without messages. */
  add(number: number, model: number, reply: ReplyContent, turn?: SaltedTurn): void {
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0) return;
    if (this.#pieces.length === 0) {
      this.#opening = table.pieceOf(entry, model, 0, start, turn);
    }
    const end = conversations?.messagesEnd[entry] as number;
    this.#pieces.push(
      ...table.pieceOf(entry, model, start, end, turn),
      COMMA,
      this.#format.replyMessage(reply),
      COMMA,
    );
  }
}
