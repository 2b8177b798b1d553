import { AlarmCells } from "./alarm_cells.ts";

/** Alarms closer together than this are rung as one: it bounds the cost, and the lateness. */
const QUANTUM_MS = 0.2;
/** Lateness at which an alarm rings without the thread: while that starts, or if it ever fails. */
const MAX_LATENESS_MS = 50;

interface Alarm {
  readonly dueMs: number;
  readonly ring: () => void;
}

/**
 * Calls functions at given times, a fraction of a millisecond late at most.
 *
 * Timers of the event loop are 1.1-1.5 ms late. Here a thread of its own sleeps in shared memory,
 * which wakes it within 0.1 ms, and its message arrives in 0.05 ms.
 */
export class AlarmClock {
  readonly #cells = new AlarmCells();
  readonly #thread: Worker;
  readonly #watch: ReturnType<typeof setInterval>;
  /** A heap by time. */
  readonly #alarms: Alarm[] = [];
  #setFor = Infinity;

  constructor() {
    this.#thread = new Worker(new URL("./alarm_thread.ts", import.meta.url), {
      type: "module",
      deno: { permissions: "none" },
    } as WorkerOptions);
    this.#cells.set(Infinity);
    this.#thread.postMessage(this.#cells.buffer);
    this.#thread.onmessage = () => this.#ring();
    this.#watch = setInterval(() => {
      const next = this.#alarms[0];
      if (next !== undefined && next.dueMs <= performance.now() - MAX_LATENESS_MS) this.#ring();
    }, MAX_LATENESS_MS);
  }

  /** Calls `ring` at `dueMs` of `performance.now()`. */
  at(dueMs: number, ring: () => void): void {
    push(this.#alarms, { dueMs, ring });
    if (dueMs < this.#setFor) this.#set(dueMs);
  }

  /** Ends the thread; what was not called never is. */
  close(): void {
    // A thread that sleeps in shared memory does not always notice that it is to end.
    this.#cells.stop();
    this.#thread.terminate();
    clearInterval(this.#watch);
  }

  #ring(): void {
    this.#setFor = Infinity;
    const now = performance.now();
    for (let next = this.#alarms[0]; next !== undefined && next.dueMs <= now;) {
      pop(this.#alarms);
      next.ring();
      next = this.#alarms[0];
    }
    const next = this.#alarms[0];
    if (next !== undefined && next.dueMs < this.#setFor) {
      this.#set(Math.max(next.dueMs, now + QUANTUM_MS));
    }
  }

  #set(dueMs: number): void {
    this.#setFor = dueMs;
    this.#cells.set(Math.max(0, dueMs - performance.now()));
  }
}

function push(heap: Alarm[], alarm: Alarm): void {
  let index = heap.length;
  heap.push(alarm);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Alarm;
    if (above.dueMs <= alarm.dueMs) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = alarm;
}

function pop(heap: Alarm[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (
      child + 1 < heap.length && (heap[child + 1] as Alarm).dueMs < (heap[child] as Alarm).dueMs
    ) {
      child++;
    }
    if ((heap[child] as Alarm).dueMs >= last.dueMs) break;
    heap[index] = heap[child] as Alarm;
    index = child;
  }
  heap[index] = last;
}
