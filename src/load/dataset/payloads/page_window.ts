import { SharedGarbage } from "../../../core/thread/shared_garbage.ts";
import type { ConversationColumns } from "./conversation_columns.ts";
import { type Shard, shareOf } from "../../../config/shard/shard.ts";
import { conversationsOf, type PayloadPage } from "./payload_page.ts";
import {
  type PayloadData,
  type PayloadPlace,
  type PayloadSource,
  PayloadTable,
} from "./payload_table.ts";

/** A page as long as it is needed. */
interface HeldPage {
  readonly page: PayloadPage;
  readonly table: PayloadTable;
  readonly columns: ConversationColumns;
  readonly endConversation: number;
  readonly endEntry: number;
  /** Sessions of it that this thread has begun. */
  began: number;
  /** Number of its sessions that are over. */
  ended: number;
  /** Records of recorded sessions in progress. */
  readonly records: Map<number, number>;
  /** Recorded sessions of which a call has failed, so that others may not be sent. */
  readonly failed: Set<number>;
}

/** Pages behind one after which no record of its failed sessions is expected. */
const LATE_PAGES = 8;

/** A conversation, where it lies. */
export interface ConversationPlace {
  readonly columns: ConversationColumns;
  /** Entries of its turns in the columns: the first, and the one behind the last. */
  readonly start: number;
  readonly end: number;
  /** Offset from an entry of the columns to its number in the phase. */
  readonly entryOffset: number;
}

/**
 * Pages of a phase that a thread needs: they arrive in order and are released when none of their
 * sessions is in progress.
 */
export class PageWindow implements PayloadSource {
  readonly #nothing: PayloadTable;
  readonly #garbage = new SharedGarbage();
  #pages: HeldPage[] = [];
  #ready = 0;
  #readyEntries = 0;

  /** @param nothing replaces a page that was released */
  constructor(nothing: PayloadData) {
    this.#nothing = new PayloadTable(nothing);
  }

  get modelCount(): number {
    return this.#nothing.data.modelCount;
  }

  get hasConversations(): boolean {
    return true;
  }

  get replyOverheadTokens(): number | undefined {
    return this.#nothing.data.replyOverheadTokens;
  }

  /** Conversations of the phase that have come. */
  get ready(): number {
    return this.#ready;
  }

  /** Entries of the phase that have come. */
  get readyEntries(): number {
    return this.#readyEntries;
  }

  /** Pages that are held. */
  get held(): number {
    return this.#pages.length;
  }

  /** Adds the page that follows the last one, or the first one of a phase. */
  add(page: PayloadPage): void {
    const { firstConversation, firstEntry, data } = page;
    if (firstConversation === 0) this.#keep(() => false);
    this.#ready = firstConversation + conversationsOf(page);
    this.#readyEntries = firstEntry + data.profilingEntries;
    this.#pages.push({
      page,
      table: new PayloadTable(data),
      columns: data.conversations as ConversationColumns,
      endConversation: this.#ready,
      endEntry: this.#readyEntries,
      began: 0,
      ended: 0,
      records: new Map(),
      failed: new Set(),
    });
  }

  /** Whether a conversation is a recorded session. */
  isRecorded(index: number): boolean {
    return this.#holding(index)?.columns.graph !== undefined;
  }

  /** Where a conversation that has come and is not over lies. */
  conversation(index: number): ConversationPlace {
    const held = this.#holding(index);
    if (held === undefined) {
      throw new RangeError(`Conversation ${index} is in no page that is held`);
    }
    const { columns, page } = held;
    const local = index - page.firstConversation;
    return {
      columns,
      start: columns.conversationStart[local] as number,
      end: columns.conversationStart[local + 1] as number,
      entryOffset: page.firstEntry,
    };
  }

  locate(entry: number): PayloadPlace {
    for (const { page, table, endEntry } of this.#pages) {
      if (entry < endEntry && entry >= page.firstEntry) {
        return { table, entry: entry - page.firstEntry };
      }
    }
    return { table: this.#nothing, entry: 0 };
  }

  /** Number of an entry in its file. */
  fileEntryOf(entry: number): number {
    const held = this.#pages.find(({ endEntry }) => entry < endEntry);
    return held === undefined ? entry : held.page.fileEntry + entry - held.page.firstEntry;
  }

  /** How often its file had been read before a conversation that is held; NaN for others. */
  passOf(index: number): number {
    return this.#holding(index)?.page.pass ?? NaN;
  }

  /** A session has begun: its page is needed until it is over. */
  begin(index: number): void {
    const held = this.#holding(index);
    if (held !== undefined) held.began++;
  }

  /** A session is over. */
  end(index: number): void {
    const held = this.#holding(index);
    if (held !== undefined) held.ended++;
  }

  /**
   * The record of a call of a recorded session has come: the session is over with its last one.
   * @param calls of the session that are sent, unless one fails
   */
  endCall(index: number, calls: number, hasFailed: boolean): void {
    const held = this.#holding(index);
    if (held === undefined) return;
    const records = (held.records.get(index) ?? 0) + 1;
    held.records.set(index, records);
    if (hasFailed) held.failed.add(index);
    if (records < calls) return;
    held.records.delete(index);
    held.failed.delete(index);
    held.ended++;
  }

  /**
   * Lets pages go whose sessions are all claimed and, as far as they began here, over.
   * @param claimed sessions of the phase that some thread has begun
   */
  release(claimed: number): void {
    this.#keep(({ began, ended, endConversation }) => endConversation > claimed || ended < began);
  }

  /**
   * Releases pages whose sessions are all over, whichever thread ran them.
   * @param shard whose sessions are expected; undefined for all
   */
  releaseEnded(shard?: Shard): void {
    const late = this.#pages.at(-LATE_PAGES - 1)?.endConversation ?? 0;
    this.#keep(({ page, ended, failed, endConversation }) => {
      const own = shareOf(endConversation, shard) - shareOf(page.firstConversation, shard);
      return ended + (endConversation <= late ? failed.size : 0) < own;
    });
  }

  /** Lets all other pages go. */
  #keep(isNeeded: (held: HeldPage) => boolean): void {
    const before = this.#bytes;
    this.#pages = this.#pages.filter(isNeeded);
    this.#garbage.add(before - this.#bytes);
  }

  get #bytes(): number {
    return this.#pages.reduce((sum, { page }) => sum + page.data.arena.byteLength, 0);
  }

  #holding(index: number): HeldPage | undefined {
    return this.#pages.find(({ page, endConversation }) =>
      index < endConversation && index >= page.firstConversation
    );
  }
}
