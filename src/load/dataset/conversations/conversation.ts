import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { CallFacts } from "../payloads/graph_columns.ts";
import type { PromptContent } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type { Expected } from "../../../measurement/answers/expected/expected.ts";
import type { GapClass } from "../../../core/session_graph/session_graph.ts";

/**
 * Requests of one user, in the order of their turns. Generators of synthetic prompts and readers of
 * files yield these.
 */
export interface Conversation {
  /** Name that the input gave it; undefined to number it. */
  readonly id: string | undefined;
  /** At least one. */
  readonly turns: readonly ConversationTurn[];
}

/** One request of a conversation. */
export interface ConversationTurn {
  /**
   * Content from which the endpoint type builds the body, messages to append to the history, or a
   * complete body that is sent unchanged.
   */
  readonly request:
    | {
      readonly kind: "content";
      readonly content: PromptContent;
      readonly system?: string;
      /** Tokens of its texts, where their maker knows them: they are not counted again then. */
      readonly inputTokens?: number;
    }
    /** Ready messages of this turn (role, content, tool calls): appended to the history. */
    | {
      readonly kind: "messages";
      readonly messages: readonly Record<string, unknown>[];
      readonly outputTokens: number | undefined;
      readonly extra: Readonly<Record<string, unknown>>;
    }
    | { readonly kind: "body"; readonly body: BodyFields }
    /** Bytes that are sent unchanged. */
    | { readonly kind: "bytes"; readonly bytes: Uint8Array };
  /** Milliseconds from the reply to the turn before; 0 in the first. */
  readonly delayMs: number;
  /** Milliseconds of the trace at which it is sent; undefined where there are none. */
  readonly timestampMs: number | undefined;
  /**
   * Whether the history (earlier turns and live replies) precedes the request; false for complete
   * bodies.
   */
  readonly followsHistory: boolean;
  /** Who worked since the turn before; absent for a user. */
  readonly gapClass?: GapClass;
  /** Properties as a call of a recorded session; absent for turns that follow each other. */
  readonly call?: CallFacts;
  /** The answer that is expected; absent if none is, or it is not checked. */
  readonly expected?: Expected;
  /** Beginning that it shares with an earlier request; absent for a whole request. */
  readonly shared?: SharedRequest;
  /**
   * Recorded reply to the call that it continues, where a live one takes its place; absent if it is
   * unknown, or among the messages.
   */
  readonly recordedReply?: readonly Record<string, unknown>[];
  /** Salts in its texts, in their order; absent for none. */
  readonly salts?: readonly string[];
}

/** Beginning of a request that an earlier turn of the conversation has as well. */
export interface SharedRequest {
  /** Number of that turn. */
  readonly turn: number;
  /** Messages of that turn before the own ones; characters of its text if the request is a content. */
  readonly kept: number;
  /** Returns the whole request, for what can send or count it only so. */
  whole(): ConversationTurn["request"];
}
