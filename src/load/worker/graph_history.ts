import type { ConversationFormat } from "../../client/endpoint/protocol/conversation_format.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../dataset/payloads/payload_table.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";
import type { Session, Turn } from "../workload/workload.ts";

const COMMA = new Uint8Array([44]);

/** Messages of a call as calls after it carry them. */
interface CarriedMessages {
  /** Part of the first body before its messages. */
  readonly opening: readonly Uint8Array[];
  /** Messages of the call and of all before it, each followed by a comma. */
  readonly pieces: readonly Uint8Array[];
}

/**
 * Bodies of a recorded session: a call carries the messages of the call that it continues, and the
 * reply to that if it is live. Calls that continue one call have bytewise equal beginnings; sent
 * messages are in the payload table and are not copied.
 */
export class GraphHistory {
  readonly #payloads: PayloadSource;
  readonly #format: ConversationFormat | undefined;
  readonly #calls: readonly PlayedCall[];
  readonly #turns: Session["turns"];
  readonly #salting: Pick<SaltedTurn, "phase" | "session">;
  readonly #carried = new Map<number, CarriedMessages>();
  readonly #replies = new Map<number, Uint8Array>();
  /** Calls whose replies others carry. */
  readonly #awaited: ReadonlySet<number>;

  constructor(
    payloads: PayloadSource,
    format: ConversationFormat | undefined,
    { turns, calls = [] }: Pick<Session, "turns" | "calls">,
    salting: Pick<SaltedTurn, "phase" | "session">,
  ) {
    this.#payloads = payloads;
    this.#format = format;
    this.#turns = turns;
    this.#calls = calls;
    this.#salting = salting;
    this.#awaited = new Set(
      calls.flatMap(({ base, putsReply }) => putsReply && base !== undefined ? [base] : []),
    );
  }

  /** The body of a call; see {@linkcode SessionHistory.bodyOf}. */
  bodyOf(number: number, model: number, turn: SaltedTurn, call: number): Uint8Array[] {
    const { table, entry } = this.#payloads.locate(number);
    const carried = this.#before(call);
    const start = table.data.conversations?.messagesStart[entry] ?? -1;
    if (carried === undefined || start < 0) return table.bodyOf(entry, model, turn);
    return [
      ...carried.opening,
      ...carried.pieces,
      ...table.pieceOf(entry, model, start, Infinity, turn),
    ];
  }

  /** Keeps a reply that later calls carry. */
  addReply(call: number, reply: ReplyContent): void {
    if (this.#format === undefined || !this.#awaited.has(call)) return;
    this.#replies.set(call, this.#format.replyMessage(reply));
  }

  #before(call: number): CarriedMessages | undefined {
    const { base, putsReply } = this.#calls[call] as PlayedCall;
    if (base === undefined) return undefined;
    const { opening, pieces } = this.#of(base);
    const reply = putsReply ? this.#replies.get(base) : undefined;
    return { opening, pieces: reply === undefined ? pieces : [...pieces, reply, COMMA] };
  }

  #of(call: number): CarriedMessages {
    const known = this.#carried.get(call);
    if (known !== undefined) return known;
    const before = this.#before(call);
    const { entry: number, model } = this.#turns[call] as Turn;
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const turn = { ...this.#salting, turn: call };
    const start = conversations?.messagesStart[entry] ?? -1;
    const end = conversations?.messagesEnd[entry] ?? -1;
    const own = start < 0 ? [] : [...table.pieceOf(entry, model, start, end, turn), COMMA];
    const carried = {
      opening: before?.opening ?? table.pieceOf(entry, model, 0, Math.max(0, start), turn),
      pieces: [...(before?.pieces ?? []), ...own],
    };
    this.#carried.set(call, carried);
    return carried;
  }
}
