import type { RunClock } from "../thread/run_clock.ts";
import type { CanaryCells } from "./canary_cells.ts";
import { CanarySchedule } from "./canary_schedule.ts";
import type { CanaryServer } from "./canary_server.ts";

/** Longest sleep: connections and messages are looked at in between. */
const MAX_SLEEP_MS = 20;
/** A turn of the event loop takes up to this long; none begins when a canary is due before. */
const TURN_MS = 3;
/** Longest time without a turn. */
const MAX_BUSY_MS = 200;

/** What a {@linkcode CanaryWriter} works with. */
export interface CanaryWriterContext {
  readonly server: Pick<CanaryServer, "write">;
  readonly cells: Pick<CanaryCells, "take" | "wakeCount" | "sleep">;
  readonly workers: number;
  readonly random: () => number;
  /** A turn of the event loop in which sockets are served, too. */
  turn(): Promise<void>;
}

/** Writes canaries when they are due. It blocks its thread in between: a timer is 1 ms late. */
export class CanaryWriter {
  readonly #context: CanaryWriterContext;
  #isActive = false;

  constructor(context: CanaryWriterContext) {
    this.#context = context;
  }

  /** Writes until {@linkcode CanaryWriter.end} is called. */
  async run(clock: RunClock): Promise<void> {
    const { cells, random, server, turn, workers } = this.#context;
    const nowNs = () => clock.nowNs();
    this.#isActive = true;
    const schedule = new CanarySchedule(workers, nowNs(), random);
    // Wishes of an earlier phase are over.
    for (const _ of cells.take());
    let lastTurnNs = nowNs();
    while (this.#isActive) {
      const { wakeCount } = cells;
      for (const wish of cells.take()) schedule.add(wish, nowNs());
      for (const { dueNs, kind, worker } of schedule.take(nowNs())) {
        server.write(worker, kind, dueNs, nowNs);
      }
      const aheadMs = (schedule.nextNs - nowNs()) / 1e6;
      if (aheadMs > TURN_MS || nowNs() - lastTurnNs > MAX_BUSY_MS * 1e6) {
        await turn();
        lastTurnNs = nowNs();
      }
      cells.sleep(wakeCount, Math.min((schedule.nextNs - nowNs()) / 1e6, MAX_SLEEP_MS));
    }
  }

  /** Ends the phase. */
  end(): void {
    this.#isActive = false;
  }
}
