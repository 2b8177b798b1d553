import type { Message } from "../../client/endpoint/protocol/conversation_format.ts";
import { joinedText } from "../../client/http/join_bytes.ts";
import { toolCallIds, toolResultIds, withToolIds } from "./tool_ids.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** A name of the fields in which results of tools name their calls. */
const RESULT = /"(tool_call_id|call_id|tool_use_id)"/;
const CALL = /"(tool_calls|function_call|tool_use)"/;

/** A reply in a history, and the messages that follow it. Bytes are messages with commas between them. */
export interface JoinedReply {
  /** undefined if there is no reply. */
  readonly reply: Uint8Array | undefined;
  readonly own: readonly Uint8Array[];
  /** IDs of live tool calls by the recorded IDs that they replace, those of earlier replies included. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether the live reply has other tool calls than the recorded one had results. */
  readonly hasDiverged: boolean;
}

/**
 * Puts a live reply before the messages that followed the recorded one. Results of tools get the IDs of
 * the live calls, in their order. If there are fewer live calls than results, or calls where none was
 * recorded, the recorded reply is used where it is known.
 * @param live reply of the server; undefined if there is none
 * @param recorded reply; undefined if it is unknown
 * @param own messages after it
 * @param ids of live calls by recorded IDs so far
 */
export function joinedReply(
  live: Uint8Array | undefined,
  recorded: Uint8Array | undefined,
  own: readonly Uint8Array[],
  ids: ReadonlyMap<string, string>,
): JoinedReply {
  if (live === undefined) {
    return { reply: recorded, own: renamed(own, ids), ids, hasDiverged: false };
  }
  const text = joinedText(own);
  const liveText = decoder.decode(live);
  if (!RESULT.test(text) && !CALL.test(liveText)) {
    return { reply: live, own, ids, hasDiverged: false };
  }
  const liveIds = toolCallIds(messagesIn(liveText));
  const messages = messagesIn(text);
  const known = recorded && new Set(toolCallIds(messagesIn(decoder.decode(recorded))));
  const ownCalls = new Set(toolCallIds(messages));
  const results = toolResultIds(messages)
    .filter((id) => known === undefined ? !ids.has(id) && !ownCalls.has(id) : known.has(id));
  const hasDiverged = liveIds.length < results.length ||
    (known !== undefined && known.size === 0 && liveIds.length > 0);
  if (hasDiverged) {
    return { reply: recorded ?? live, own: renamed(own, ids), ids, hasDiverged };
  }
  const more = new Map(ids);
  results.forEach((id, place) => more.set(id, liveIds[place] as string));
  return { reply: live, own: renamed(own, more), ids: more, hasDiverged };
}

function renamed(
  own: readonly Uint8Array[],
  ids: ReadonlyMap<string, string>,
): readonly Uint8Array[] {
  if (ids.size === 0) return own;
  const text = joinedText(own);
  if (!RESULT.test(text)) return own;
  const messages = withToolIds(messagesIn(text), ids);
  return [encoder.encode(messages.map((message) => JSON.stringify(message)).join(","))];
}

function messagesIn(text: string): Message[] {
  return JSON.parse(`[${text}]`) as Message[];
}
