import type { RunClock } from "../../src/core/thread/run_clock.ts";
import type { Timers } from "../../src/core/thread/timers.ts";

interface Call {
  dueNs: number;
  readonly everyNs: number | undefined;
  readonly call: () => void;
}

/** Time that passes only when a test says so: a clock, and the timers that go by it. */
export class FakeTime implements RunClock, Timers {
  #nowNs = 0;
  readonly #calls = new Set<Call>();

  nowNs(): number {
    return this.#nowNs;
  }

  once(delayMs: number, call: () => void): () => void {
    return this.#add({ dueNs: this.#nowNs + delayMs * 1e6, everyNs: undefined, call });
  }

  every(intervalMs: number, call: () => void): () => void {
    return this.#add({
      dueNs: this.#nowNs + intervalMs * 1e6,
      everyNs: intervalMs * 1e6,
      call,
    });
  }

  /** Calls that are to come. */
  get pending(): number {
    return this.#calls.size;
  }

  /** How long it is to the next call, Infinity if none is to come. */
  get msToNext(): number {
    return ((this.#next()?.dueNs ?? Infinity) - this.#nowNs) / 1e6;
  }

  /** Lets time pass; timers are called in their order, each at its time. */
  async pass(milliseconds: number): Promise<void> {
    const endNs = this.#nowNs + milliseconds * 1e6;
    await microtasks();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.dueNs > endNs) break;
      this.#nowNs = Math.max(this.#nowNs, next.dueNs);
      if (next.everyNs === undefined) this.#calls.delete(next);
      else next.dueNs += next.everyNs;
      next.call();
      await microtasks();
    }
    this.#nowNs = endNs;
  }

  /** Lets time pass in which this thread does nothing: no timer is called. */
  sleep(milliseconds: number): void {
    this.#nowNs += milliseconds * 1e6;
  }

  #add(call: Call): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  #next(): Call | undefined {
    let next: Call | undefined;
    for (const call of this.#calls) {
      if (next === undefined || call.dueNs < next.dueNs) next = call;
    }
    return next;
  }
}

/** Lets promises that are settled, and those that wait for them, call on. */
export async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
