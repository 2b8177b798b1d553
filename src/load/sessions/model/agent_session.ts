/** A recorded agent session: calls as a partial order, and what each call sends. */

import type { GraphCall } from "../../../core/session_graph/session_graph.ts";
import type { Message } from "../../../client/endpoint/protocol/conversation_format.ts";

/** See the module's comment. */
export interface AgentSession {
  readonly id: string;
  /** Milliseconds from the start of the file's first session to its own. */
  readonly offsetMs: number;
  /** In the order of the file, or of their recorded starts where the file has them. */
  readonly calls: readonly AgentCall[];
}

/** One request of an agent. */
export interface AgentCall extends GraphCall {
  readonly id: string;
  /** Name of the agent within the session. */
  readonly agent: string;
  /** Kind of the agent: `main`, the type of a subagent, or `subagent` where that is not known. */
  readonly agentKind: string;
  /** 0 for the agent that the user talks to; one more for each level of agents below it. */
  readonly depth: number;
  readonly model: string | undefined;
  /** Milliseconds of tools between the calls that it waits for and its own start. */
  readonly toolMs: number | undefined;
  /** The call before it of the same agent, whose prompt it usually continues. */
  readonly predecessor: number | undefined;
  readonly prompt: CallPrompt;
  /** The reply as later prompts and a cache have it. */
  readonly reply: readonly PromptPart[];
  /** Fields that its body has besides messages, tools and limits. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Milliseconds from the session's first recorded start. */
  readonly recorded: { readonly startMs: number; readonly endMs: number } | undefined;
  /** Input tokens as the file states them; absent where that is the length of its prompt anyway. */
  readonly recordedInputTokens: number | undefined;
}

/** Prompt of a call. */
export type CallPrompt =
  | TextPrompt
  /** Ids of whole blocks: equal ids are equal text up to there. */
  | { readonly kind: "blocks"; readonly inputTokens: number; readonly blocks: readonly BlockId[] }
  /** Nothing: the call only orders others. */
  | { readonly kind: "none" };

/** Id of a block of a prompt. */
export type BlockId = number | string;

/** Messages, of which some may be known by their length only. */
export interface TextPrompt {
  readonly kind: "texts";
  readonly tools: readonly unknown[] | undefined;
  /** Parts that several calls have are the same objects. */
  readonly parts: readonly PromptPart[];
  /** Whether a space is between two parts; not where all parts are lengths. */
  readonly isJoined: boolean;
}

/** A piece of a prompt. */
export type PromptPart =
  | {
    readonly kind: "message";
    readonly message: Message;
    /** The call whose recorded reply it is; absent for other messages. */
    readonly replyOf?: string;
  }
  /** Tokens of unknown text: equal keys are equal texts. */
  | {
    readonly kind: "tokens";
    readonly key: string;
    readonly from: number;
    readonly to: number;
    /** The call whose reply it is; absent for other texts. */
    readonly replyOf?: string;
  };

/**
 * Returns a prompt of blocks. A file may have an id for the partial block at the end, which cannot be
 * cached and is another block than a whole one.
 */
export function blockPrompt(
  inputTokens: number,
  ids: readonly BlockId[],
  blockSize: number,
): CallPrompt {
  return { kind: "blocks", inputTokens, blocks: ids.slice(0, Math.floor(inputTokens / blockSize)) };
}

/** Returns the reply of a call as a part of unknown text. */
export function unknownReply(call: string, tokens: number, from = 0): PromptPart {
  return { kind: "tokens", key: `reply ${call}`, from, to: tokens, replyOf: call };
}
