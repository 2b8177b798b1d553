import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { IdleCells } from "./idle_cells.ts";
import { timerMs } from "./phase_limits.ts";

/** Least interval at which a thread checks for moves by other threads. */
const LEAST_LOOK_NS = 10e6;

/** The pending calls of a thread. */
export interface PendingCalls {
  /** When the first of them is due; Infinity for none. */
  firstDueNs(): number;
  /** Lets all of them be due earlier. */
  move(byNs: number): void;
}

/**
 * Keeps the time short in which no call of the run is in flight (`--system-idle-gap-cap-seconds`): all
 * pending calls of all threads move by the same time, so that the first one is due at the end of the
 * cap. No message tells a thread: each one looks again within the cap.
 */
export class SystemIdle {
  readonly #cells: IdleCells;
  readonly #worker: number;
  readonly #capNs: number;
  readonly #clock: RunClock;
  readonly #timers: Timers;
  readonly #pending: PendingCalls;
  /** By how much the calls of this thread have been moved. */
  #movedNs = 0;
  #callOff: (() => void) | undefined;

  /** @param startNs start of the phase */
  constructor(
    { cells, worker, capNs, startNs, clock, timers }: {
      readonly cells: IdleCells;
      readonly worker: number;
      readonly capNs: number;
      readonly startNs: number;
      readonly clock: RunClock;
      readonly timers: Timers;
    },
    pending: PendingCalls,
  ) {
    this.#cells = cells;
    this.#worker = worker;
    this.#capNs = capNs;
    this.#clock = clock;
    this.#timers = timers;
    this.#pending = pending;
    cells.begin(startNs);
  }

  /** A call is sent. */
  start(): void {
    this.#cells.start(this.#worker);
  }

  /** A call has ended. */
  end(): void {
    this.#cells.end(this.#worker, this.#clock.nowNs());
  }

  /** Moves the pending calls where that is due; to be called when they, or calls in flight, change. */
  look(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    this.#follow();
    let firstNs = this.#publish();
    this.#cells.shorten(this.#capNs);
    if (this.#follow()) firstNs = this.#publish();
    if (firstNs === Infinity) return;
    const leftNs = Math.max(LEAST_LOOK_NS, this.#capNs);
    if (firstNs - this.#clock.nowNs() <= leftNs) return;
    this.#callOff = this.#timers.once(timerMs(leftNs / 1e6), () => this.look());
  }

  /** The phase is over. */
  close(): void {
    this.#callOff?.();
    this.#cells.lose(this.#worker);
  }

  /** Returns whether the pending calls have been moved. */
  #follow(): boolean {
    const { movedNs } = this.#cells;
    const byNs = movedNs - this.#movedNs;
    this.#movedNs = movedNs;
    if (byNs > 0) this.#pending.move(byNs);
    return byNs > 0;
  }

  /** Returns when the first pending call is due. */
  #publish(): number {
    const firstNs = this.#pending.firstDueNs();
    this.#cells.setFirstDue(this.#worker, firstNs, this.#movedNs);
    return firstNs;
  }
}
