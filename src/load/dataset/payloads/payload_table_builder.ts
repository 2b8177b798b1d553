import { BODY_PARTS } from "../../../client/endpoint/protocol/body_pieces.ts";
import { joinBytes } from "../../../client/http/join_bytes.ts";
import { ConversationColumnsBuilder, type TurnFacts } from "./conversation_columns.ts";
import { PayloadTable } from "./payload_table.ts";
import type { SaltWords } from "./prompt_salt.ts";
import type { MarkerColumns } from "./session_marker.ts";
import { SharedTextsBuilder } from "./shared_texts.ts";

const encoder = new TextEncoder();
/** Segments of each body that is a prompt with something before and after it. */
const SEGMENTS = 3;
/** Places behind it are salts' while a table is filled. */
const SALT_PLACES = 2 ** 40;
/** Parts of an entry that is not counted by part. */
const NO_PARTS: readonly number[] = BODY_PARTS.map(() => 0);

/** Place of a piece of the arena. */
export interface Segment {
  readonly offset: number;
  readonly length: number;
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

/** Beginning of a body that an earlier entry has. */
export interface SharedBeginning {
  readonly base: number;
  readonly keptBytes: number;
}

/** Columns of texts that a table may have. */
export type TextColumn = "expected" | "constraints";

/** Parts of a table in addition to its entries. */
export interface PayloadExtras {
  readonly salts?: SaltWords | undefined;
  readonly cacheBust?: Pick<MarkerColumns, "target" | "seed" | "isOfRun"> | undefined;
  readonly replyOverheadTokens?: number | undefined;
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
