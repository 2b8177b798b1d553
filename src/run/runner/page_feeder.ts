import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { globalIndexOf, type Shard } from "../../config/shard/shard.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import { SharedGarbage } from "../../core/thread/shared_garbage.ts";
import { SYSTEM_TIMERS, type Timers } from "../../core/thread/timers.ts";
import type { Pages } from "../../load/dataset/conversations/page_reader.ts";
import { type PayloadPage, withoutBodies } from "../../load/dataset/payloads/payload_page.ts";
import type { ControlBlock } from "../../load/worker/control_block.ts";
import { ArrivalRing } from "../../load/workload/arrival_ring.ts";

/** Pages that may be ahead of the session that was begun last. */
const PAGES_AHEAD = 4;
/** How often it is looked whether there is room for another page. */
const LOOK_MS = 5;

/** Who gets the pages. */
export interface PageReceivers {
  /** Those who send. */
  readonly load: { addPage(page: PayloadPage): void };
  /** Those who take in the records; they get a page first. */
  readonly results: { addPage(page: PayloadPage): void };
  /** Whether these need bodies, too. */
  readonly keepsBodies: boolean;
  /** Called when the file cannot be read on. */
  onFailure(end: RunEnd): void;
}

/**
 * Reads a large file while it is sent: some pages ahead of the load, never more. The load decides
 * the pace; where it is faster than the reading, its sessions wait.
 */
export class PageFeeder {
  readonly ring = new ArrivalRing();
  readonly #reader: Pages;
  readonly #control: ControlBlock;
  readonly #receivers: PageReceivers;
  readonly #timers: Timers;
  readonly #shard: Shard | undefined;
  readonly #garbage = new SharedGarbage();
  #end = new AbortController();
  #pages: AsyncGenerator<PayloadPage> | undefined;
  #isSchedule = false;
  /** First conversations of the pages that were handed over and are not reached yet. */
  #ahead: number[] = [];
  /** Resolves when nothing is read any more. */
  #done: Promise<void> = Promise.resolve();

  constructor(
    reader: Pages,
    control: ControlBlock,
    receivers: PageReceivers,
    timers: Timers = SYSTEM_TIMERS,
    shard?: Shard,
  ) {
    this.#shard = shard;
    this.#reader = reader;
    this.#control = control;
    this.#receivers = receivers;
    this.#timers = timers;
  }

  /**
   * Hands over the first page of a phase, so that it can begin.
   * @throws {DatasetError} if it cannot be read
   */
  async begin({ load, requestCount, sessionCount = Infinity }: PhasePlan): Promise<void> {
    await this.end();
    this.#end = new AbortController();
    this.#isSchedule = load.loop === "open" && load.isSchedule === true;
    this.#ahead = [];
    this.ring.begin();
    const extent = {
      conversations: Math.min(requestCount, sessionCount),
      isSchedule: this.#isSchedule,
    };
    this.#pages = this.#reader.pages(extent, this.#end.signal);
    const { value, done } = await this.#pages.next();
    if (!done) this.#hand(value);
  }

  /** Reads on while the phase goes on, which has begun. */
  start(): void {
    this.#done = this.#feed();
  }

  /** Reads no more of this phase. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#done;
    // A generator that waits at a page lets go of the file.
    await this.#pages?.return(undefined).catch(() => {});
    this.#pages = undefined;
  }

  /** Ends all reading, and closes the file. */
  async close(): Promise<void> {
    await this.end();
    this.#reader.close();
  }

  async #feed(): Promise<void> {
    const { signal } = this.#end;
    try {
      for (;;) {
        while (!this.#hasRoom() && !signal.aborted) {
          await new Promise<void>((resolve) => this.#timers.once(LOOK_MS, resolve));
        }
        if (signal.aborted || this.#pages === undefined) return;
        const { value, done } = await this.#pages.next();
        if (signal.aborted) return;
        if (done) break;
        this.#hand(value);
      }
      this.ring.end();
      this.#control.wakePacer();
    } catch (error) {
      if (signal.aborted || this.#control.stopped) return;
      const why = error instanceof Error ? error.message : error;
      this.#receivers.onFailure({
        reason: "input_unreadable",
        text: `the input file cannot be read on: ${why}`,
      });
    }
  }

  #hasRoom(): boolean {
    const claimed = globalIndexOf(this.#control.claimed, this.#shard);
    this.#ahead = this.#ahead.filter((first) => first > claimed);
    return this.#ahead.length < PAGES_AHEAD;
  }

  #hand(page: PayloadPage): void {
    const { load, results, keepsBodies } = this.#receivers;
    this.#ahead.push(page.firstConversation);
    results.addPage(keepsBodies ? page : withoutBodies(page));
    load.addPage(page);
    // This thread needs it no more.
    this.#garbage.add(page.data.arena.byteLength);
    const { conversationStart, timestampNs } = page.data.conversations ??
      { conversationStart: [0], timestampNs: [] };
    this.ring.add([...conversationStart.slice(0, -1)].map((start) => timestampNs[start] as number));
    if (this.#isSchedule) this.#control.wakePacer();
  }
}
