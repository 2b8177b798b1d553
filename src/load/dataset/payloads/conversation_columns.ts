/** Which entries of a payload table are the turns of one conversation, and what lies between them. */

import { GAP_CLASSES, type GapClass } from "../../../core/session_graph/session_graph.ts";
import { type CallFacts, type GraphColumns, graphColumns } from "./graph_columns.ts";
import { float64, int32, uint8 } from "./shared_columns.ts";

/** Columns that tables of conversations have besides the others; they can be posted. */
export interface ConversationColumns {
  /** First entry of each conversation, and the end of the last: one more than conversations. */
  readonly conversationStart: Int32Array<SharedArrayBuffer>;
  /** Nanoseconds from the reply to the turn before to each entry; 0 for first turns. */
  readonly turnDelayNs: Float64Array<SharedArrayBuffer>;
  /** Nanoseconds of the trace at which each entry is sent; NaN for none. */
  readonly timestampNs: Float64Array<SharedArrayBuffer>;
  /** Bytes of each entry's body before its messages; -1 if it has none that go into a history. */
  readonly messagesStart: Int32Array<SharedArrayBuffer>;
  /** Bytes of each entry's body up to the end of its messages. */
  readonly messagesEnd: Int32Array<SharedArrayBuffer>;
  /** 1 for entries whose messages come after those of earlier turns and the replies to them. */
  readonly followsHistory: Uint8Array<SharedArrayBuffer>;
  /** Who worked before each entry, as places in {@linkcode GAP_CLASSES}; absent for users. */
  readonly gapClasses?: Uint8Array<SharedArrayBuffer>;
  /** Conversations of the profiling phase come first, those of warm-up after them. */
  readonly profilingConversations: number;
  readonly warmupConversations: number;
  /** Which turns wait for which others; absent where each follows the one before it. */
  readonly graph?: GraphColumns;
}

/** Bytes of a body between which its messages lie. */
export interface MessagesSpan {
  readonly start: number;
  readonly end: number;
}

/** Properties of a turn, apart from its body. */
export interface TurnFacts {
  readonly delayNs: number;
  /** NaN for none. */
  readonly timestampNs: number;
  /** undefined for a body that nothing can be put into, or taken from. */
  readonly messages: MessagesSpan | undefined;
  readonly followsHistory: boolean;
  /** Who worked since the turn before; absent for a user. */
  readonly gapClass?: GapClass | undefined;
  /** Properties as a call of a recorded session; absent for turns of a list. */
  readonly call?: CallFacts | undefined;
}

/** Number of the conversation that an entry is a turn of. */
export function conversationOf({ conversationStart }: ConversationColumns, entry: number): number {
  let low = 0;
  let high = conversationStart.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((conversationStart[middle] as number) <= entry) low = middle;
    else high = middle;
  }
  return low;
}

/** First entry of the conversation of an entry, and the end of its last; without columns, its own. */
export function entriesOf(
  columns: ConversationColumns | undefined,
  entry: number,
): [start: number, end: number] {
  if (columns === undefined) return [entry, entry + 1];
  const number = conversationOf(columns, entry);
  const { conversationStart: starts } = columns;
  return [starts[number] as number, starts[number + 1] as number];
}

/** Fills the columns of conversations. */
export class ConversationColumnsBuilder {
  readonly #starts: number[] = [];
  readonly #turns: TurnFacts[] = [];

  /** Begins a conversation: the turns that follow are its own. */
  begin(): void {
    this.#starts.push(this.#turns.length);
  }

  /** Adds the properties of the next entry. */
  add(turn: TurnFacts): void {
    this.#turns.push(turn);
  }

  /**
   * Returns the finished columns; conversations starting at entry `profilingEntries` belong to
   * warm-up. Returns undefined if they contain no information: each conversation is one turn,
   * without a time.
   * @param keepsPlain whether to return columns in that case as well
   */
  finish(profilingEntries: number, keepsPlain = false): ConversationColumns | undefined {
    const turns = this.#turns;
    const calls = turns.flatMap(({ call }) => call === undefined ? [] : [call]);
    const isPlain = !keepsPlain && calls.length === 0 && this.#starts.length === turns.length &&
      turns.every(({ timestampNs }) => Number.isNaN(timestampNs));
    if (isPlain) return undefined;
    const profiling = this.#starts.filter((start) => start < profilingEntries).length;
    const starts = [...this.#starts, turns.length];
    return {
      conversationStart: int32(starts, (start) => start),
      turnDelayNs: float64(turns, ({ delayNs }) => delayNs),
      timestampNs: float64(turns, ({ timestampNs }) => timestampNs),
      messagesStart: int32(turns, ({ messages }) => messages?.start ?? -1),
      messagesEnd: int32(turns, ({ messages }) => messages?.end ?? -1),
      followsHistory: uint8(turns, ({ followsHistory }) => followsHistory ? 1 : 0),
      ...(turns.every(({ gapClass }) => gapClass === undefined) ? {} : {
        gapClasses: uint8(turns, ({ gapClass = "user" }) => GAP_CLASSES.indexOf(gapClass)),
      }),
      profilingConversations: profiling,
      warmupConversations: this.#starts.length - profiling,
      ...(calls.length === turns.length && calls.length > 0 ? { graph: graphColumns(calls) } : {}),
    };
  }
}
