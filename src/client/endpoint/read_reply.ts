import type { EndpointType } from "./protocol/endpoint_type.ts";
import { endpointType } from "./endpoint_types.ts";
import type { ReplyError } from "./protocol/reply_protocol.ts";
import { ReplyReader } from "./protocol/reply_reader.ts";
import type { Usage } from "./protocol/usage.ts";

/** A recorded reply. */
export interface RecordedReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body in the pieces in which it arrived. */
  readonly body: readonly Uint8Array[];
  /** Whether the body was complete by its framing: false if the connection broke before its end. */
  readonly complete: boolean;
  /** Answers that the request asked for (`n`). @default 1 */
  readonly choices?: number;
}

/** Content of a reply, and whether it is a success. */
export interface ReplyVerdict {
  readonly valid: boolean;
  /** Why it is not valid. */
  readonly error?: ReplyError;
  readonly text: string;
  readonly reasoning: string;
  /** Names and arguments of tool calls. */
  readonly toolText: string;
  /** The counts that the server reported last, by their usual wire names; null if it did not. */
  readonly usage: Readonly<Record<string, number>> | null;
  readonly finishReason: string | null;
  /** Events with content: answer, reasoning or tool call. */
  readonly contentChunks: number;
  /**
   * Choices other than choice 0 of a reply with several; the fields above are those of choice 0.
   */
  readonly otherChoices?: readonly ChoiceVerdict[];
}

/** Content of a choice of a reply. */
export interface ChoiceVerdict
  extends Pick<ReplyVerdict, "text" | "reasoning" | "toolText" | "finishReason"> {
  readonly index: number;
}

/**
 * Validates a recorded reply with the code that validates live ones.
 *
 * @example
 * ```ts
 * import { readReply } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * const body = [new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')];
 * const headers: [string, string][] = [["content-type", "text/event-stream"]];
 * const verdict = readReply("chat", { status: 200, headers, body, complete: true });
 * assert.equal(verdict.text, "Hi");
 * assert.equal(verdict.valid, false);
 * assert.equal(verdict.error?.kind, "truncated");
 * ```
 *
 * @param typeName name or alias of an endpoint type, such as `chat`, `messages`, `tgi`
 * @throws {RangeError} if there is no endpoint type of that name
 */
export function readReply(typeName: string, reply: RecordedReply): ReplyVerdict {
  return readReplyOf(endpointType(typeName), reply);
}

/** Validates a recorded reply of an endpoint type; see {@linkcode readReply}. */
export function readReplyOf(
  type: Pick<EndpointType, "replies">,
  reply: RecordedReply,
): ReplyVerdict {
  const reader = new ReplyReader(type);
  reader.askedChoices = reply.choices ?? 1;
  reader.begin(reply.status, "", reply.headers);
  let wanted = true;
  for (const [index, piece] of reply.body.entries()) {
    wanted = reader.push(piece, 0, piece.length, index);
    if (!wanted) break;
  }
  const error = reader.end(reply.complete && wanted, reply.body.length);
  const { content } = reader;
  const decoder = new TextDecoder();
  return {
    valid: error === undefined,
    ...(error === undefined ? {} : { error }),
    text: decoder.decode(content.text.view),
    reasoning: decoder.decode(content.reasoning.view),
    toolText: decoder.decode(content.toolText.view),
    usage: wireUsage(content.usage),
    finishReason: content.finishReason,
    contentChunks: content.chunkCount,
    ...(content.others.size === 0 ? {} : {
      otherChoices: [...content.others.values()].map((choice) => ({
        index: choice.index,
        text: decoder.decode(choice.text.view),
        reasoning: decoder.decode(choice.reasoning.view),
        toolText: decoder.decode(choice.toolText.view),
        finishReason: choice.finishReason,
      })),
    }),
  };
}

function wireUsage(reported: Usage | undefined): Record<string, number> | null {
  if (reported === undefined) return null;
  const { promptTokens, completionTokens, totalTokens, reasoningTokens } = reported;
  const usage: Record<string, number> = {};
  if (promptTokens !== undefined) usage["prompt_tokens"] = promptTokens;
  if (completionTokens !== undefined) usage["completion_tokens"] = completionTokens;
  if (totalTokens !== undefined) usage["total_tokens"] = totalTokens;
  if (reasoningTokens !== undefined) usage["reasoning_tokens"] = reasoningTokens;
  return Object.keys(usage).length > 0 ? usage : null;
}
