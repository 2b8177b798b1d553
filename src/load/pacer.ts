import type { RunClock } from "../thread/run_clock.ts";
import { createWorkload } from "../workload/create_workload.ts";
import type { WorkloadSource } from "../workload/workload.ts";
import type { ControlBlock } from "./control_block.ts";
import type { PacerStart } from "./messages.ts";

/** The way to one load worker: any message says that there is something to look at. */
export type TickPort = Pick<MessagePort, "postMessage">;

/** Says when the sessions of open loops are due. It sleeps on its thread, which does nothing else. */
export class Pacer {
  readonly #control: ControlBlock;
  readonly #source: WorkloadSource;
  readonly #ticks: readonly TickPort[];

  /** @param ticks one for each load worker */
  constructor(control: ControlBlock, source: WorkloadSource, ticks: readonly TickPort[]) {
    this.#control = control;
    this.#source = source;
    this.#ticks = ticks;
  }

  /** Paces a phase from its beginning to its last arrival, or until the run is stopped. */
  pace({ plan, startNs }: PacerStart, clock: RunClock): void {
    if (plan.load.loop === "open") {
      const workload = createWorkload(this.#source, plan);
      for (let index = 0; index < workload.sessionCount; index++) {
        const offsetNs = workload.arrivalNs(index);
        if (offsetNs >= plan.durationNs) break;
        this.#sleepUntil(startNs + offsetNs, clock);
        if (this.#control.stopped) break;
        this.#control.setArrived(index + 1);
        this.#ticks[index % this.#ticks.length]?.postMessage(null);
      }
    }
    this.#control.endArrivals();
    // Every worker looks once more, to find that nothing is left to come.
    for (const port of this.#ticks) port.postMessage(null);
  }

  #sleepUntil(dueNs: number, clock: RunClock): void {
    for (;;) {
      const leftMs = (dueNs - clock.nowNs()) / 1e6;
      if (leftMs <= 0 || this.#control.stopped) return;
      this.#control.sleep(leftMs);
    }
  }
}
