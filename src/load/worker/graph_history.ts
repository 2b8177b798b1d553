import type { ConversationFormat } from "../../client/endpoint/protocol/conversation_format.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../dataset/payloads/payload_table.ts";
import type { SaltedTurn } from "../dataset/payloads/prompt_salt.ts";
import type { Session, Turn } from "../workload/workload.ts";
import { joinedReply } from "./joined_reply.ts";

const COMMA = new Uint8Array([44]);
const NO_IDS: ReadonlyMap<string, string> = new Map();

/** Messages of a call as calls after it carry them. */
interface CarriedMessages {
  /** Part of the first body before its messages. */
  readonly opening: readonly Uint8Array[];
  /** Messages of the call and of all before it, each followed by a comma. */
  readonly pieces: readonly Uint8Array[];
  /** IDs of live tool calls by the recorded IDs that they replace. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Messages that come before those of a call, and its own. */
interface JoinedCall extends CarriedMessages {
  readonly own: readonly Uint8Array[];
  readonly hasDiverged: boolean;
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
  readonly #joined = new Map<number, JoinedCall>();
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
    const end = table.data.conversations?.messagesEnd[entry] ?? -1;
    if (this.#calls[call]?.base === undefined || end < 0) return table.bodyOf(entry, model, turn);
    const { opening, pieces, own } = this.#joinedOf(call);
    return [...opening, ...pieces, ...own, ...table.pieceOf(entry, model, end, Infinity, turn)];
  }

  /** Whether a call carries a recorded reply, because the live one has other tool calls. */
  hasDiverged(call: number): boolean {
    return this.#calls[call]?.base !== undefined && this.#joinedOf(call).hasDiverged;
  }

  /** Keeps a reply that later calls carry. */
  addReply(call: number, reply: ReplyContent): void {
    if (this.#format === undefined || !this.#awaited.has(call)) return;
    this.#replies.set(call, this.#format.replyMessage(reply));
  }

  /** Messages of a call and of all before it. They do not change once the call may be sent. */
  #joinedOf(call: number): JoinedCall {
    const known = this.#joined.get(call);
    if (known !== undefined) return known;
    const joined = this.#join(call);
    this.#joined.set(call, joined);
    return joined;
  }

  #join(call: number): JoinedCall {
    const { base, putsReply } = this.#calls[call] as PlayedCall;
    const { entry: number, model } = this.#turns[call] as Turn;
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const turn = { ...this.#salting, turn: call };
    const start = conversations?.messagesStart[entry] ?? -1;
    const end = conversations?.messagesEnd[entry] ?? -1;
    const own = start < 0 ? [] : table.pieceOf(entry, model, start, end, turn);
    if (base === undefined) {
      const opening = table.pieceOf(entry, model, 0, Math.max(0, start), turn);
      return { opening, pieces: [], ids: NO_IDS, own, hasDiverged: false };
    }
    const before = this.#carried(base);
    if (!putsReply) return { ...before, own, hasDiverged: false };
    const joined = joinedReply(
      this.#replies.get(base),
      table.recordedReplyOf(entry),
      own,
      before.ids,
    );
    const { reply, hasDiverged, ids } = joined;
    return {
      opening: before.opening,
      pieces: reply === undefined ? before.pieces : [...before.pieces, reply, COMMA],
      ids,
      own: joined.own,
      hasDiverged,
    };
  }

  /** Messages of a call as calls after it carry them. */
  #carried(call: number): CarriedMessages {
    const { opening, pieces, ids, own } = this.#joinedOf(call);
    return { opening, ids, pieces: own.length === 0 ? pieces : [...pieces, ...own, COMMA] };
  }
}
