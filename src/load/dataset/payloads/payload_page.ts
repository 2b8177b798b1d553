import type { PayloadData } from "./payload_table.ts";
import { withoutTexts } from "./shared_texts.ts";

/** Some conversations of a large file, one after another: data that can be posted to any thread. */
export interface PayloadPage {
  /** Bodies of the conversations; columns of conversations are always present. */
  readonly data: PayloadData;
  /** Number of its first conversation and entry in the phase; the page with number 0 begins it. */
  readonly firstConversation: number;
  readonly firstEntry: number;
  /** Number of its first entry in the file, which may be read several times. */
  readonly fileEntry: number;
  /** Number of times that the file had been read before. */
  readonly pass: number;
}

/** Conversations of a page. */
export function conversationsOf({ data }: PayloadPage): number {
  return data.conversations?.profilingConversations ?? data.profilingEntries;
}

/** Returns the parts of a page that threads need which do not send it. */
export function withoutBodies(page: PayloadPage): PayloadPage {
  const { shared: _, ...data } = page.data;
  return {
    ...page,
    data: {
      ...data,
      arena: new Uint8Array(new SharedArrayBuffer(0)),
      segments: new Uint32Array(new SharedArrayBuffer(0)),
    },
  };
}

/**
 * Returns a table without entries that describes a file's bodies before its pages arrive.
 * @param first first page of the file
 */
export function tableWithoutEntries({ data }: PayloadPage): PayloadData {
  const none = new Int32Array(new SharedArrayBuffer(0));
  // When a schedule begins.
  const firstNs = new Float64Array(new SharedArrayBuffer(8));
  firstNs[0] = data.conversations?.timestampNs[0] ?? NaN;
  return {
    ...withoutBodies({ data, firstConversation: 0, firstEntry: 0, fileEntry: 0, pass: 0 }).data,
    inputTokens: none,
    outputTokens: none,
    ...(data.expected === undefined ? {} : { expected: withoutTexts(data.expected) }),
    ...(data.constraints === undefined ? {} : { constraints: withoutTexts(data.constraints) }),
    profilingEntries: 0,
    sessionIds: undefined,
    conversations: {
      conversationStart: new Int32Array(new SharedArrayBuffer(4)),
      turnDelayNs: new Float64Array(new SharedArrayBuffer(0)),
      timestampNs: firstNs,
      messagesStart: none,
      messagesEnd: none,
      followsHistory: new Uint8Array(new SharedArrayBuffer(0)),
      profilingConversations: 0,
      warmupConversations: 0,
    },
  };
}
