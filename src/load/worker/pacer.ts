import type { RunClock } from "../../core/thread/run_clock.ts";
import { createWorkload } from "../workload/create_workload.ts";
import type { Workload, WorkloadSource } from "../workload/workload.ts";
import { limitCurve } from "../workload/limit_curve.ts";
import type { ControlBlock } from "./control_block.ts";
import type { PacerStart } from "./messages.ts";

/** Port to one load worker: any message means that there is something to check. */
export type TickPort = Pick<MessagePort, "postMessage">;

/**
 * Maximum sleep in milliseconds: while the load is paused, the time of the next arrival is unknown.
 */
const MAX_SLEEP_MS = 1000;
/** Interval between checks whether more of a schedule has been read, in milliseconds. */
const READING_MS = 2;

/**
 * Announces when the sessions of open loops are due. The pacer sleeps on its own thread, which does
 * nothing else.
 */
export class Pacer {
  readonly #control: ControlBlock;
  readonly #source: WorkloadSource;
  readonly #ticks: readonly TickPort[];
  /** Number of the phase that is paced. */
  #phase = 0;

  /** @param ticks one for each load worker */
  constructor(control: ControlBlock, source: WorkloadSource, ticks: readonly TickPort[]) {
    this.#control = control;
    this.#source = source;
    this.#ticks = ticks;
  }

  /** Paces a phase from its beginning to its last arrival, or until the run is stopped. */
  pace({ plan, phase, startNs }: PacerStart, clock: RunClock): void {
    this.#phase = phase;
    const { load, durationNs } = plan;
    if (load.loop === "closed") return this.#endArrivals();
    const control = this.#control;
    const { steering } = control;
    const workload = createWorkload(this.#source, plan);
    // Arrivals that wait are let in when the cap grows, which no worker is told of otherwise.
    const cap = limitCurve(load.concurrency, load.concurrencyRamp, this.#source.shard);
    let grownTo = cap.at(0);
    const passUntil = (dueNs: () => number, hasWork: () => boolean): void => {
      while (grownTo < cap.target && !this.#isStopped && hasWork()) {
        const growsNs = cap.reachedNs(grownTo + 1);
        if (growsNs >= durationNs) return;
        this.#sleepUntil(() => startNs + Math.min(growsNs, dueNs()), clock);
        if (dueNs() < growsNs) return;
        grownTo++;
        if (control.claimed < control.arrived) this.#tell(grownTo);
      }
    };
    for (let index = 0; index < workload.sessionCount; index++) {
      const known = workload.readyCount ?? Infinity;
      const isOver = (): boolean => clock.nowNs() - startNs >= durationNs;
      if (!this.#awaitTime(workload, index, isOver)) break;
      const plannedNs = workload.arrivalNs(index);
      const isLate = index >= known && startNs + plannedNs < clock.nowNs();
      // Somebody may raise the rate, so that it is due in time.
      if (!steering.isSteerable && plannedNs >= durationNs) break;
      const offsetNs = (): number => steering.dueNs(plannedNs);
      passUntil(offsetNs, () => true);
      const dueNs = this.#sleepUntil(() => startNs + offsetNs(), clock);
      if (this.#isStopped || dueNs - startNs >= durationNs) break;
      control.setArrived(index + 1);
      if (isLate) {
        // It was read when it was due already: that is no slip of the threads that send.
        control.noteQueued();
        control.starveAt(index);
      }
      if (control.claimed <= index) this.#tell(index);
    }
    this.#endArrivals();
    passUntil(() => Infinity, () => control.claimed < control.arrived);
  }

  /** Whether the phase is over; the next one may have begun before this thread was awake. */
  get #isStopped(): boolean {
    return this.#control.stopped || this.#control.phase !== this.#phase;
  }

  #endArrivals(): void {
    if (this.#control.phase !== this.#phase) return;
    this.#control.endArrivals();
    // Every worker looks once more, to find that nothing is left to come.
    for (const port of this.#ticks) port.postMessage(null);
  }

  /**
   * Notifies one worker, in rotation. Workers that were notified and have not checked yet will find
   * this arrival too: a late thread with many messages would read almost no replies between them.
   */
  #tell(turn: number): void {
    const { length } = this.#ticks;
    for (let next = 0; next < length; next++) {
      const worker = (turn + next) % length;
      if (this.#control.tell(worker)) return this.#ticks[worker]?.postMessage(null);
    }
  }

  /** Waits until the time of a session is read; false if there is no such session. */
  #awaitTime(workload: Workload, index: number, isOver: () => boolean): boolean {
    while ((workload.readyCount ?? Infinity) <= index) {
      if (this.#isStopped || index >= workload.sessionCount || isOver()) return false;
      this.#control.sleep(READING_MS);
    }
    return true;
  }

  /**
   * @param due when, looked at again after each sleep; who changes it does so for a time to come
   * @returns when it was
   */
  #sleepUntil(due: () => number, clock: RunClock): number {
    for (;;) {
      // First the time: what is due by then was not moved by a change that comes between the two.
      const nowNs = clock.nowNs();
      const dueNs = due();
      if (dueNs <= nowNs || this.#isStopped) return dueNs;
      this.#control.sleep(Math.min(MAX_SLEEP_MS, (dueNs - nowNs) / 1e6));
    }
  }
}
