/**
 * The request bodies of a run, ready to be sent, in shared memory.
 *
 * A body is some segments of one arena, mostly three; where several models take turns, an entry has
 * a body for each. The bodies of synthetic prompts share their first and last segment, and the middle
 * one is a window of the corpus, so that a hundred thousand prompts cost two megabytes and no time
 * before the first request.
 */

import { BODY_PARTS } from "../../../client/endpoint/protocol/body_pieces.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import {
  type ConversationColumns,
  ConversationColumnsBuilder,
  conversationOf,
  type TurnFacts,
} from "./conversation_columns.ts";
import { type SaltedTurn, saltInPlaceOf, type SaltWords } from "./prompt_salt.ts";
import type { MarkerColumns } from "./session_marker.ts";
import { type SharedTexts, SharedTextsBuilder } from "./shared_texts.ts";

/** Segments of each body that is a prompt with something before and after it. */
const SEGMENTS = 3;

/** Parts of an entry that is not counted by part. */
const NO_PARTS: readonly number[] = BODY_PARTS.map(() => 0);

/** Stands for "not known" and "not asked for" in the columns of counts. */
export const NO_COUNT = -1;

/** Places behind it are salts' while a table is filled. */
const SALT_PLACES = 2 ** 40;

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
   * Input tokens of each entry by the parts of its body, as many as there are {@linkcode BODY_PARTS};
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

/** Columns of texts that a table may have. */
export type TextColumn = "expected" | "constraints";

/** Columns of bodies that begin as the body of an earlier entry, which has these bytes for both. */
export interface SharedBeginnings {
  /** The earlier entry; -1 for a whole body. */
  readonly base: Int32Array<SharedArrayBuffer>;
  /** Bytes of the body of that entry with which the own segments are preceded. */
  readonly keptBytes: Int32Array<SharedArrayBuffer>;
}

/** Beginning of a body that an earlier entry has. */
export interface SharedBeginning {
  readonly base: number;
  readonly keptBytes: number;
}

/** The salts of a table. */
export interface SaltColumns extends SaltWords {
  /** Offset into the arena from which segments are salts, each replaced when it is sent. */
  readonly start: number;
}

/** Parts of a table in addition to its entries. */
export interface PayloadExtras {
  readonly salts?: SaltWords | undefined;
  readonly cacheBust?: Pick<MarkerColumns, "target" | "seed" | "isOfRun"> | undefined;
  readonly replyOverheadTokens?: number | undefined;
}

/** Counts of one entry besides its body. */
export interface PayloadCounts {
  readonly inputTokens: number;
  /** See {@linkcode PayloadData.inputParts}; undefined if it is not counted so. */
  readonly inputParts?: readonly number[] | undefined;
  readonly outputTokens: number;
  readonly images: number;
  /** Answers; missing for one. */
  readonly choices?: number | undefined;
}

/** Place of a piece of the arena. */
export interface Segment {
  readonly offset: number;
  readonly length: number;
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

/** Fills a payload table. */
export class PayloadTableBuilder {
  #arena: Uint8Array<SharedArrayBuffer>;
  #arenaLength = 0;
  readonly #segments: number[] = [];
  readonly #inputTokens: number[] = [];
  /** Tokens by part of the entries that have them. */
  readonly #inputParts = new Map<number, readonly number[]>();
  readonly #outputTokens: number[] = [];
  readonly #images: number[] = [];
  readonly #choices: number[] = [];
  readonly #sessionIds: string[] = [];
  readonly #markers: number[] = [];
  readonly #bases: number[] = [];
  readonly #keptBytes: number[] = [];
  readonly #salts: Uint8Array[] = [];
  readonly #texts = new Map<TextColumn, SharedTextsBuilder>();
  #saltBytes = 0;
  readonly #segmentsPerBody: number;
  #conversations: ConversationColumnsBuilder | undefined;

  /**
   * @param arenaBytes room to begin with; it grows
   * @param segmentsPerBody segments that a body has at most
   */
  constructor(arenaBytes = 65_536, segmentsPerBody = SEGMENTS) {
    this.#segmentsPerBody = segmentsPerBody;
    this.#arena = new Uint8Array(new SharedArrayBuffer(arenaBytes));
  }

  /** Number of the entry that is added next. */
  get entries(): number {
    return this.#inputTokens.length;
  }

  /** Bytes in the arena. */
  get bytes(): number {
    return this.#arenaLength;
  }

  /** Puts bytes into the arena. */
  addSegment(bytes: Uint8Array): Segment {
    const offset = this.#arenaLength;
    const needed = offset + bytes.length;
    if (needed > this.#arena.length) {
      const larger = new Uint8Array(
        new SharedArrayBuffer(Math.max(needed, this.#arena.length * 2)),
      );
      larger.set(this.#arena.subarray(0, offset));
      this.#arena = larger;
    }
    this.#arena.set(bytes, offset);
    this.#arenaLength = needed;
    return { offset, length: bytes.length };
  }

  /** Adds a salt, which a table that was given salts replaces when a request is sent. */
  addSalt(text: string): Segment {
    const bytes = encoder.encode(text);
    const offset = SALT_PLACES + this.#saltBytes;
    this.#salts.push(bytes);
    this.#saltBytes += bytes.length;
    return { offset, length: bytes.length };
  }

  /**
   * Adds an entry whose body is these segments.
   * @param others its bodies for the second model and all later ones
   */
  addEntry(
    body: readonly Segment[],
    counts: PayloadCounts,
    sessionId?: string,
    others: readonly (readonly Segment[])[] = [],
  ): void {
    for (const segments of [body, ...others]) {
      for (let i = 0; i < this.#segmentsPerBody; i++) {
        this.#segments.push(segments[i]?.offset ?? 0, segments[i]?.length ?? 0);
      }
    }
    if (counts.inputParts !== undefined) {
      this.#inputParts.set(this.#inputTokens.length, counts.inputParts);
    }
    this.#inputTokens.push(counts.inputTokens);
    this.#outputTokens.push(counts.outputTokens);
    this.#images.push(counts.images);
    this.#choices.push(counts.choices ?? 1);
    if (sessionId !== undefined) this.#sessionIds.push(sessionId);
  }

  /**
   * Begins a conversation: the turns that are added next are its own. A table holds entries, or
   * turns of conversations, never both.
   */
  beginConversation(sessionId?: string): void {
    this.#conversations ??= new ConversationColumnsBuilder();
    this.#conversations.begin();
    if (sessionId !== undefined) this.#sessionIds.push(sessionId);
  }

  /** Adds an entry as the next turn of the conversation that was begun last. */
  addTurn(
    body: readonly Segment[],
    counts: PayloadCounts,
    turn: TurnFacts,
    others: readonly (readonly Segment[])[] = [],
  ): void {
    if (this.#conversations === undefined) throw new RangeError("No conversation was begun");
    this.#conversations.add(turn);
    this.addEntry(body, counts, undefined, others);
  }

  /** Sets the byte of the last entry's body at which its session's marker is put in; -1 for none. */
  setMarker(at: number): void {
    this.#markers[this.#inputTokens.length - 1] = at;
  }

  /** Sets a text of the last entry. */
  setText(column: TextColumn, text: string): void {
    const texts = this.#texts.get(column) ?? new SharedTextsBuilder();
    this.#texts.set(column, texts);
    texts.set(this.#inputTokens.length - 1, text);
  }

  /** Has the body of the last entry begin as that of an earlier one. */
  setShared({ base, keptBytes }: SharedBeginning): void {
    this.#bases[this.#inputTokens.length - 1] = base;
    this.#keptBytes[this.#inputTokens.length - 1] = keptBytes;
  }

  /**
   * Returns the finished table; the last `warmupEntries` entries belong to warm-up.
   * @param keepsColumns whether the table keeps columns of conversations even if they contain no
   * information
   */
  finish(
    warmupEntries: number,
    { cacheBust, replyOverheadTokens, salts }: PayloadExtras = {},
    keepsColumns = false,
  ): PayloadTable {
    const entries = this.#inputTokens.length;
    const { offset: saltStart } = this.addSegment(joinBytes(this.#salts));
    this.#salts.length = 0;
    this.#segments.forEach((value, i) => {
      if (value >= SALT_PLACES) this.#segments[i] = value - SALT_PLACES + saltStart;
    });
    return new PayloadTable({
      arena: this.#arena.subarray(0, this.#arenaLength),
      segments: sharedUint32(this.#segments),
      segmentsPerBody: this.#segmentsPerBody,
      inputTokens: sharedInt32(this.#inputTokens),
      ...(this.#inputParts.size === 0 ? {} : {
        inputParts: sharedInt32(
          this.#inputTokens.flatMap((_, entry) => this.#inputParts.get(entry) ?? NO_PARTS),
        ),
      }),
      outputTokens: sharedInt32(this.#outputTokens),
      images: sharedInt32(this.#images),
      ...(this.#choices.every((count) => count === 1)
        ? {}
        : { choices: sharedInt32(this.#choices) }),
      ...(this.#bases.length === 0 ? {} : {
        shared: {
          base: sharedInt32(this.#inputTokens.map((_, entry) => this.#bases[entry] ?? -1)),
          keptBytes: sharedInt32(this.#inputTokens.map((_, entry) => this.#keptBytes[entry] ?? 0)),
        },
      }),
      modelCount: this.#segments.length / (this.#segmentsPerBody * 2) / entries || 1,
      profilingEntries: entries - warmupEntries,
      warmupEntries,
      sessionIds: this.#sessionIds.length > 0 ? this.#sessionIds : undefined,
      conversations: this.#conversations?.finish(entries - warmupEntries, keepsColumns),
      ...(cacheBust === undefined
        ? {}
        : { markers: { ...cacheBust, at: sharedInt32(this.#markers) } }),
      ...(salts === undefined ? {} : { salts: { ...salts, start: saltStart } }),
      ...(replyOverheadTokens === undefined ? {} : { replyOverheadTokens }),
      ...Object.fromEntries(
        [...this.#texts].map(([column, texts]) => [column, texts.finish(entries)]),
      ),
    });
  }
}

const encoder = new TextEncoder();

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

function sharedUint32(values: readonly number[]): Uint32Array<SharedArrayBuffer> {
  const shared = new Uint32Array(new SharedArrayBuffer(values.length * 4));
  shared.set(values);
  return shared;
}

function sharedInt32(values: readonly number[]): Int32Array<SharedArrayBuffer> {
  const shared = new Int32Array(new SharedArrayBuffer(values.length * 4));
  shared.set(values);
  return shared;
}
