import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { LimitCurve } from "../workload/limit_curve.ts";
import type { SharedGate } from "./shared_gate.ts";

/**
 * Admits requests while fewer than a limit wait for their first token. Requests that find no room
 * wait in the order of their arrival, across all threads.
 */
export interface PrefillGate {
  /**
   * Enters if there is room and no other request waits. Each request that has entered must leave
   * again.
   */
  enter(): boolean;
  /** Calls once there is room; it counts as entered then. */
  wait(entered: () => void): void;
  leave(): void;
  /** Checks which requests can enter: another thread has made room, or time has passed. */
  look(): void;
  /** Admits no more requests; waiting ones are dropped. */
  close(): void;
}

/** No limit. */
export const OPEN_GATE: PrefillGate = {
  enter: () => true,
  wait: (entered) => entered(),
  leave() {},
  look() {},
  close() {},
};

/** Functions and settings that a gate needs from its thread. */
export interface GateContext {
  readonly worker: number;
  readonly shared: SharedGate;
  readonly limit: LimitCurve;
  /** When the phase begins, on the run's clock. */
  readonly startNs: number;
  readonly clock: RunClock;
  readonly timers: Timers;
  /** Has another thread look at its gate. */
  wake(worker: number): void;
}

/** The gate of one thread. */
export class LimitedGate implements PrefillGate {
  readonly #context: GateContext;
  readonly #waiting: { readonly ticket: number; readonly entered: () => void }[] = [];
  #isClosed = false;
  #isLooking = false;
  #callOff: (() => void) | undefined;

  constructor(context: GateContext) {
    this.#context = context;
  }

  enter(): boolean {
    const { shared, worker } = this.#context;
    return !this.#isClosed && shared.first === undefined && shared.enter(this.#limit, worker);
  }

  wait(entered: () => void): void {
    if (this.#isClosed) return;
    const { shared, worker } = this.#context;
    this.#waiting.push({ ticket: shared.draw(), entered });
    if (this.#waiting.length === 1) shared.show(this.#waiting[0]?.ticket ?? 0, worker);
    // Room that was made before others could see the ticket.
    this.look();
  }

  leave(): void {
    const { shared, worker } = this.#context;
    shared.leave(worker);
    this.look();
  }

  look(): void {
    // Who is let in may leave at once: the loop goes on by itself, however many wait.
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#letIn();
    this.#isLooking = false;
    this.#lookAgain();
  }

  #letIn(): void {
    const { shared, worker, wake } = this.#context;
    for (;;) {
      const { first } = shared;
      if (first === undefined) return;
      if (first !== worker) {
        if (shared.inside < this.#limit) wake(first);
        break;
      }
      if (!shared.enter(this.#limit, worker)) break;
      const next = this.#waiting.shift();
      shared.show(this.#waiting[0]?.ticket ?? 0, worker);
      if (next === undefined) shared.leave(worker);
      else next.entered();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#context.shared.show(0, this.#context.worker);
    this.#callOff?.();
  }

  get #limit(): number {
    const { limit, startNs, clock } = this.#context;
    return limit.at(clock.nowNs() - startNs);
  }

  /** Checks again when the limit grows, as long as a request waits on this thread. */
  #lookAgain(): void {
    const { limit, startNs, clock, timers } = this.#context;
    if (this.#waiting.length === 0 || this.#callOff !== undefined || this.#isClosed) return;
    const nowNs = clock.nowNs() - startNs;
    const growsNs = limit.reachedNs(limit.at(nowNs) + 1);
    if (growsNs === Infinity) return;
    this.#callOff = timers.once((growsNs - nowNs) / 1e6, () => {
      this.#callOff = undefined;
      this.look();
    });
  }
}
