/**
 * The request bodies of a run, ready to be sent, in shared memory.
 *
 * A body is some segments of one arena, mostly three; where several models take turns, an entry has
 * a body for each. The bodies of synthetic prompts share their first and last segment, and the middle
 * one is a window of the corpus, so that a hundred thousand prompts cost two megabytes and no time
 * before the first request.
 */

import { joinBytes } from "../../../client/http/join_bytes.ts";
import { type ConversationColumns, conversationOf } from "./conversation_columns.ts";
import { type SaltedTurn, saltInPlaceOf, type SaltWords } from "./prompt_salt.ts";
import type { MarkerColumns } from "./session_marker.ts";
import type { SharedTexts } from "./shared_texts.ts";

/** Value for "not known" and "not requested" in the columns of counts. */
export const NO_COUNT = -1;

/** The shared columns of a payload table: plain data that can be posted to any thread. */
export interface PayloadData {
  readonly arena: Uint8Array<SharedArrayBuffer>;
  /** Pairs of an offset into the arena and a length, as many for each entry and model. */
  readonly segments: Uint32Array<SharedArrayBuffer>;
  /** Pairs of each body. */
  readonly segmentsPerBody: number;
  /** Input tokens of each entry by the run's tokenizer. */
  readonly inputTokens: Int32Array<SharedArrayBuffer>;
  /**
   * Input tokens of each entry by the parts of its body, as many as there are `BODY_PARTS`;
   * all zero for bodies that are not counted so. Absent where there is no other.
   */
  readonly inputParts?: Int32Array<SharedArrayBuffer>;
  /** Output tokens that each entry asks for. */
  readonly outputTokens: Int32Array<SharedArrayBuffer>;
  readonly images: Int32Array<SharedArrayBuffer>;
  /** Answers that each entry asks for; absent where that is one of each. */
  readonly choices?: Int32Array<SharedArrayBuffer>;
  /** Beginnings that bodies share with other bodies; absent where each entry has its whole body. */
  readonly shared?: SharedBeginnings;
  /** Bodies of each entry. */
  readonly modelCount: number;
  /** Entries of the profiling phase come first, those of warm-up after them. */
  readonly profilingEntries: number;
  readonly warmupEntries: number;
  /** Names of the conversations, where the input gave them; else they are numbered. */
  readonly sessionIds: readonly string[] | undefined;
  /** undefined where every entry is a conversation of one turn. */
  readonly conversations: ConversationColumns | undefined;
  /** Markers of sessions; absent for none. */
  readonly markers?: MarkerColumns;
  /** Words that each text begins with; absent where texts are sent unchanged. */
  readonly salts?: SaltColumns;
  /** Tokens that a chat template puts around a reply in the history; absent for none. */
  readonly replyOverheadTokens?: number;
  /** Expected answers as JSON; absent if none is checked. */
  readonly expected?: SharedTexts;
  /** Constraints of the replies' form; absent for none. */
  readonly constraints?: SharedTexts;
}

/** Columns of bodies that begin as the body of an earlier entry, which has these bytes for both. */
export interface SharedBeginnings {
  /** The earlier entry; -1 for a whole body. */
  readonly base: Int32Array<SharedArrayBuffer>;
  /** Bytes of the body of that entry with which the own segments are preceded. */
  readonly keptBytes: Int32Array<SharedArrayBuffer>;
}

/** The salts of a table. */
export interface SaltColumns extends SaltWords {
  /** Offset into the arena from which segments are salts, each replaced when it is sent. */
  readonly start: number;
}

/** An entry, and the table that has it. */
export interface PayloadPlace {
  readonly table: PayloadTable;
  /** Number of the entry in that table. */
  readonly entry: number;
}

/** Bodies by the numbers of their entries, be they all in one table or in pages that come and go. */
export interface PayloadSource {
  /** Bodies of each entry. */
  readonly modelCount: number;
  /** Whether entries are turns of conversations. */
  readonly hasConversations: boolean;
  /** Tokens that a chat template puts around each reply; undefined for none. */
  readonly replyOverheadTokens: number | undefined;
  locate(entry: number): PayloadPlace;
}

/** Whether requests of a table belong to sessions of several requests, or of several agents. */
export function hasSessions(
  { conversations, profilingEntries, warmupEntries }: Pick<
    PayloadData,
    "conversations" | "profilingEntries" | "warmupEntries"
  >,
): boolean {
  if (conversations === undefined) return false;
  const { graph, profilingConversations, warmupConversations } = conversations;
  return graph !== undefined ||
    profilingEntries + warmupEntries > profilingConversations + warmupConversations;
}

/** Reads a payload table. */
export class PayloadTable implements PayloadSource {
  readonly data: PayloadData;

  constructor(data: PayloadData) {
    this.data = data;
  }

  get modelCount(): number {
    return this.data.modelCount;
  }

  get hasConversations(): boolean {
    return this.data.conversations !== undefined;
  }

  get replyOverheadTokens(): number | undefined {
    return this.data.replyOverheadTokens;
  }

  locate(entry: number): PayloadPlace {
    return { table: this, entry };
  }

  /** Bytes of the bodies of all entries, beginnings that they share included. */
  get bodyBytes(): number {
    const { segments, shared } = this.data;
    let bytes = 0;
    for (let at = 1; at < segments.length; at += 2) bytes += segments[at] as number;
    return shared?.keptBytes.reduce((sum, kept) => sum + kept, bytes) ?? bytes;
  }

  /**
   * The pieces whose concatenation is the body of an entry for a model.
   * @param turn that sends it, with whose salts it begins; absent for those of its first use
   */
  bodyOf(entry: number, model = 0, turn?: SaltedTurn): Uint8Array[] {
    const { shared } = this.data;
    if (shared === undefined || (shared.base[entry] as number) < 0) {
      return this.#ownOf(entry, model, turn);
    }
    const parts: Uint8Array[][] = [];
    let limit = Infinity;
    for (let at = entry; at >= 0; at = shared.base[at] as number) {
      const kept = shared.keptBytes[at] as number;
      if (limit > kept) parts.push(cutTo(this.#ownOf(at, model, turn), limit - kept));
      limit = Math.min(limit, kept);
    }
    return parts.reverse().flat();
  }

  /** The pieces that an entry has itself: its body, or the end of it. */
  #ownOf(entry: number, model: number, turn: SaltedTurn | undefined): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    const { arena, segments, segmentsPerBody, modelCount, salts } = this.data;
    let place = 0;
    const start = (entry * modelCount + model) * segmentsPerBody * 2;
    for (let i = start; i < start + segmentsPerBody * 2; i += 2) {
      const offset = segments[i] as number;
      const length = segments[i + 1] as number;
      if (length === 0) continue;
      const piece = arena.subarray(offset, offset + length);
      const isSalt = salts !== undefined && turn !== undefined && offset >= salts.start;
      pieces.push(isSalt ? saltInPlaceOf(piece, salts, turn, place++) : piece);
    }
    return pieces;
  }

  /** The body of an entry for a model as one array; see {@linkcode bodyOf}. */
  wholeBodyOf(entry: number, model = 0, turn?: SaltedTurn): Uint8Array<ArrayBuffer> {
    return joinBytes(this.bodyOf(entry, model, turn));
  }

  /** Name of the conversation that an entry belongs to. */
  sessionIdOf(entry: number): string {
    const { conversations, sessionIds } = this.data;
    const number = conversations === undefined ? entry : conversationOf(conversations, entry);
    return sessionIds?.[number] ?? `session_${String(number).padStart(6, "0")}`;
  }

  /** The bytes of a body between two places, as pieces; see {@linkcode bodyOf}. */
  pieceOf(
    entry: number,
    model: number,
    start: number,
    end: number,
    turn?: SaltedTurn,
  ): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let offset = 0;
    for (const piece of this.bodyOf(entry, model, turn)) {
      const from = Math.max(0, start - offset);
      const to = Math.min(piece.length, end - offset);
      if (from < to) pieces.push(piece.subarray(from, to));
      offset += piece.length;
    }
    return pieces;
  }

  /**
   * Returns the recorded reply to the call that an entry continues, as messages with commas between
   * them; undefined if it is unknown, or in the body.
   */
  recordedReplyOf(entry: number): Uint8Array | undefined {
    const { arena, conversations } = this.data;
    const length = conversations?.graph?.replyLength[entry] ?? 0;
    const offset = conversations?.graph?.replyOffset[entry] ?? 0;
    return length === 0 ? undefined : arena.subarray(offset, offset + length);
  }
}

/** Returns the first bytes of some pieces. */
function cutTo(pieces: readonly Uint8Array[], length: number): Uint8Array[] {
  const kept: Uint8Array[] = [];
  let left = length;
  for (const piece of pieces) {
    if (left <= 0) break;
    kept.push(piece.length <= left ? piece : piece.subarray(0, left));
    left -= piece.length;
  }
  return kept;
}
