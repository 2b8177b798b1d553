import type { RunClock } from "../../core/thread/run_clock.ts";
import type { CanaryCells } from "./canary_cells.ts";
import { CANARY_KIND } from "./canary_kind.ts";
import { CanarySchedule } from "./canary_schedule.ts";
import type { CanaryServer } from "./canary_server.ts";

/**
 * Interval in milliseconds between polls of connections and messages: an event-loop iteration costs
 * more than a canary.
 */
const TURN_INTERVAL_MS = 100;
/** Interval in milliseconds between polls while the load workers are about to connect. */
const FIRST_TURN_INTERVAL_MS = 5;
/** Longest time that they take for it. */
const CONNECTING_MS = 2000;
/** A turn takes up to this long; none begins when a canary is due before, unless it is overdue. */
const TURN_MS = 3;
/**
 * Canaries written without an event-loop iteration. The runtime sends 128 messages between two
 * iterations and postpones the others, after their times were taken. A thread of Deno 2.6 that has
 * just sent that many, sets a timer and is terminated in the same iteration also writes to freed
 * memory.
 */
const MAX_WRITTEN = 64;

/** Environment of a {@linkcode CanaryWriter}. */
export interface CanaryWriterContext {
  readonly server: Pick<CanaryServer, "write" | "isComplete">;
  readonly cells: Pick<CanaryCells, "isUnderWay" | "take" | "wakeCount" | "sleep">;
  readonly workers: number;
  readonly random: () => number;
  /** Waits for an event-loop iteration in which sockets are served, too. */
  turn(): Promise<void>;
}

/** Writes canaries when they are due. It blocks its thread in between: a timer is 1 ms late. */
export class CanaryWriter {
  readonly #context: CanaryWriterContext;

  constructor(context: CanaryWriterContext) {
    this.#context = context;
  }

  /**
   * Writes until the phase has ended.
   * @param beginNs when the phase begins
   */
  async run(phase: number, clock: RunClock, beginNs: number): Promise<void> {
    const { cells, random, server, turn, workers } = this.#context;
    const nowNs = () => clock.nowNs();
    const aheadMs = () => (schedule.nextNs - nowNs()) / 1e6;
    const schedule = new CanarySchedule(workers, beginNs, random);
    // Wishes of an earlier phase are over; that this one's load has begun may be said already.
    for (const wish of cells.take()) {
      if (wish.kind === CANARY_KIND.poisson) schedule.add(wish, nowNs());
    }
    const startNs = nowNs();
    let lastTurnNs = startNs;
    let written = 0;
    const takeTurn = async () => {
      await turn();
      lastTurnNs = nowNs();
      written = 0;
    };
    for (;;) {
      const { wakeCount } = cells;
      if (!cells.isUnderWay(phase)) return;
      for (const wish of cells.take()) schedule.add(wish, nowNs());
      for (const { dueNs, kind, worker } of schedule.take(nowNs())) {
        if (written === MAX_WRITTEN) await takeTurn();
        server.write(worker, kind, dueNs, nowNs);
        written++;
      }
      const isConnecting = !server.isComplete && nowNs() - startNs < CONNECTING_MS * 1e6;
      const intervalMs = isConnecting ? FIRST_TURN_INTERVAL_MS : TURN_INTERVAL_MS;
      const overdueMs = (nowNs() - lastTurnNs) / 1e6 - intervalMs;
      if (overdueMs > intervalMs || (overdueMs >= 0 && aheadMs() > TURN_MS)) await takeTurn();
      cells.sleep(wakeCount, Math.min(aheadMs(), intervalMs));
    }
  }
}
