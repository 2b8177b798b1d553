import type { Shard } from "../../config/shard/shard.ts";
import { type RecordBlock, rowsOf } from "../../client/record/record_block.ts";
import { FIELD, FIELD_COUNT } from "../../client/record/request_fields.ts";
import { PageWindow } from "../../load/dataset/payloads/page_window.ts";
import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import type { ReadRecord } from "./block_reader.ts";

/** Conversations of a file that is sent while it is read, as long as records need them. */
export class RecordPages {
  readonly window: PageWindow;
  readonly #shard: Shard | undefined;
  /** Continues when a page has come. */
  #onPage: () => void = () => {};

  /** @param nothing replaces a page that was released */
  constructor(nothing: PayloadData, shard: Shard | undefined) {
    this.window = new PageWindow(nothing);
    this.#shard = shard;
  }

  /** Takes in the next conversations. */
  add(page: PayloadPage): void {
    this.window.releaseEnded(this.#shard);
    this.window.add(page);
    this.#onPage();
  }

  /** Waits for the pages of a block: they come another way than it, and may be overtaken. */
  async waitFor(block: RecordBlock): Promise<void> {
    const rows = rowsOf(block);
    let last = -1;
    for (let row = 0; row < block.count; row++) {
      last = Math.max(last, rows[row * FIELD_COUNT + FIELD.entry] as number);
    }
    while (last >= this.window.readyEntries) {
      await new Promise<void>((resolve) => this.#onPage = resolve);
    }
  }

  /** The last look at the page of a request; its record reports where in the file it was. */
  leave({ row, session, turn, turns, errorKind, entry }: ReadRecord["record"]): void {
    row[FIELD.entry] = this.window.fileEntryOf(entry);
    const hasFailed = errorKind >= 0;
    if (this.window.isRecorded(session)) this.window.endCall(session, turns, hasFailed);
    else if (turn + 1 >= turns || hasFailed) this.window.end(session);
  }
}
