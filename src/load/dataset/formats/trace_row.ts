import type { ConversationTurn } from "../conversations/conversation.ts";
import type { InputRecord } from "./input_record.ts";

/** A request of a trace: its lengths, or what it sends, and its times. */
export interface TraceRow {
  readonly record: InputRecord;
  /** Conversation that it belongs to; undefined if it is one by itself. */
  readonly session: string | undefined;
  /** Milliseconds on the clock of the trace; undefined where it has none. */
  readonly timestampMs: number | undefined;
  /** Milliseconds after the reply to the row before of the same conversation. */
  readonly delayMs: number | undefined;
  /** Tokens of the prompt; undefined if the row has a text instead. */
  readonly inputTokens: number | undefined;
  /** Request of the row in place of a length; absent if the row has a length. */
  readonly request?: ConversationTurn["request"] | undefined;
  /** Tokens of the reply; undefined if the row does not specify them. */
  readonly outputTokens: number | undefined;
  /** One for each block of the prompt; equal ones are equal text. */
  readonly hashIds: readonly number[] | undefined;
}
