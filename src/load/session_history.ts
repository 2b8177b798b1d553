import type { PayloadTable } from "../dataset/payload_table.ts";
import type { ConversationFormat } from "../endpoint/conversation_format.ts";
import type { ReplyContent } from "../endpoint/reply_content.ts";

const COMMA = new Uint8Array([44]);

/**
 * What a session has said and heard so far, as its next request carries it.
 *
 * What was said lies in the payload table and is not copied; of the replies, the bytes of their
 * messages are kept until the session is over.
 */
export class SessionHistory {
  readonly #payloads: PayloadTable;
  readonly #format: ConversationFormat;
  readonly #pieces: Uint8Array[] = [];

  constructor(payloads: PayloadTable, format: ConversationFormat) {
    this.#payloads = payloads;
    this.#format = format;
  }

  /** The body of an entry; the history comes before its own messages if it follows one. */
  bodyOf(entry: number, model: number): Uint8Array[] {
    const { conversations } = this.#payloads.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0 || conversations?.followsHistory[entry] !== 1 || this.#pieces.length === 0) {
      return this.#payloads.bodyOf(entry, model);
    }
    return [
      ...this.#payloads.pieceOf(entry, model, 0, start),
      ...this.#pieces,
      ...this.#payloads.pieceOf(entry, model, start, Infinity),
    ];
  }

  /** Adds the messages of an entry and the reply to them; nothing of a body without messages. */
  add(entry: number, model: number, reply: ReplyContent): void {
    const { conversations } = this.#payloads.data;
    const start = conversations?.messagesStart[entry] ?? -1;
    if (start < 0) return;
    const end = conversations?.messagesEnd[entry] as number;
    this.#pieces.push(
      ...this.#payloads.pieceOf(entry, model, start, end),
      COMMA,
      this.#format.replyMessage(reply),
      COMMA,
    );
  }
}
