import { MAX_WORKERS } from "../../config/options/max_workers.ts";

/** When the last call ended, and by how much all pending calls have been moved in the phase. */
const SINCE = 0;
const MOVED = 1;
/** When the first user had no session left; 0 for never. */
const FIRST_USER = 2;
const FIRST_WORKER_CELL = 3;
/** Cells of each worker: its calls in flight, and when its first pending call would be due unmoved. */
const WORKER_CELLS = 2;
const CELLS = FIRST_WORKER_CELL + MAX_WORKERS * WORKER_CELLS;
/** Stands for "no call is pending". */
const NEVER = 2n ** 62n;

/**
 * Calls of recorded sessions in flight and pending in all threads of a run, in shared memory: the
 * threads agree by it how far pending calls move if nothing of the run is in flight, and which user
 * was the first without a session. Times are nanoseconds of the run's clock.
 */
export class IdleCells {
  /** Bytes of shared memory; they begin at a multiple of eight. */
  static readonly BYTES = CELLS * BigInt64Array.BYTES_PER_ELEMENT;
  readonly #cells: BigInt64Array;

  /** @param byteOffset where its memory begins in that of the run */
  constructor(buffer: SharedArrayBuffer, byteOffset: number) {
    this.#cells = new BigInt64Array(buffer, byteOffset, CELLS);
  }

  /** Prepares for a phase. Only while no thread is at work. */
  reset(): void {
    for (let cell = 0; cell < FIRST_WORKER_CELL; cell++) Atomics.store(this.#cells, cell, 0n);
    for (let worker = 0; worker < MAX_WORKERS; worker++) this.lose(worker);
  }

  /** The phase has begun: nothing was in flight before. */
  begin(startNs: number): void {
    this.#raise(SINCE, startNs);
  }

  /** A call of a worker is sent. */
  start(worker: number): void {
    Atomics.add(this.#cells, flightCell(worker), 1n);
  }

  /** A call of a worker has ended. */
  end(worker: number, atNs: number): void {
    // First: a thread that finds nothing in flight must find this time.
    this.#raise(SINCE, atNs);
    Atomics.sub(this.#cells, flightCell(worker), 1n);
  }

  /** A worker has no more calls. */
  lose(worker: number): void {
    Atomics.store(this.#cells, flightCell(worker), 0n);
    Atomics.store(this.#cells, dueCell(worker), NEVER);
  }

  /** A user has no session left. */
  leave(atNs: number): void {
    const value = BigInt(Math.round(atNs));
    for (;;) {
      const known = Atomics.load(this.#cells, FIRST_USER);
      if (known > 0n && known <= value) return;
      if (Atomics.compareExchange(this.#cells, FIRST_USER, known, value) === known) return;
    }
  }

  /** When the first user had no session left; undefined if all have had one. */
  get firstUserNs(): number | undefined {
    const ns = Atomics.load(this.#cells, FIRST_USER);
    return ns === 0n ? undefined : Number(ns);
  }

  /** By how much all pending calls have been moved. */
  get movedNs(): number {
    return Number(Atomics.load(this.#cells, MOVED));
  }

  /**
   * Sets when the first pending call of a worker is due; Infinity for none.
   * @param movedNs by how much its calls have been moved
   */
  setFirstDue(worker: number, dueNs: number, movedNs: number): void {
    const unmoved = dueNs === Infinity ? NEVER : BigInt(Math.round(dueNs + movedNs));
    Atomics.store(this.#cells, dueCell(worker), unmoved);
  }

  /**
   * Moves all pending calls if nothing is in flight and the first of them is due later than the cap
   * allows: to the end of the cap. Threads that find the same at once move them once.
   */
  shorten(capNs: number): void {
    if (this.#isInFlight) return;
    const moved = Atomics.load(this.#cells, MOVED);
    const first = this.#firstDue;
    if (first === NEVER) return;
    const latest = Atomics.load(this.#cells, SINCE) + BigInt(Math.round(capNs));
    const excess = first - moved - latest;
    if (excess > 0n) Atomics.compareExchange(this.#cells, MOVED, moved, moved + excess);
  }

  get #isInFlight(): boolean {
    for (let worker = 0; worker < MAX_WORKERS; worker++) {
      if (Atomics.load(this.#cells, flightCell(worker)) > 0n) return true;
    }
    return false;
  }

  get #firstDue(): bigint {
    let first = NEVER;
    for (let worker = 0; worker < MAX_WORKERS; worker++) {
      const due = Atomics.load(this.#cells, dueCell(worker));
      if (due < first) first = due;
    }
    return first;
  }

  #raise(cell: number, ns: number): void {
    const value = BigInt(Math.round(ns));
    for (;;) {
      const known = Atomics.load(this.#cells, cell);
      if (known >= value) return;
      if (Atomics.compareExchange(this.#cells, cell, known, value) === known) return;
    }
  }
}

function flightCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS;
}

function dueCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 1;
}
