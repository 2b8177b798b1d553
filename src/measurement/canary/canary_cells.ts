const WAKE = 0;
const ENDED = 1;
const FIRST_HEAD = 2;
/** Wishes that a worker can have before the canary thread looks; the oldest are lost beyond that. */
const RING = 64;

/** A canary that a worker wants. */
export interface CanaryWish {
  /**
   * Kind of canary. A wish for canaries at random instants asks for many, starting at its time.
   */
  readonly kind: number;
  readonly dueNs: number;
}

/**
 * Shared memory in which load workers publish when canaries are due; the canary thread sleeps on
 * it.
 */
export class CanaryCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  /** Kind and time of each wish, a ring for each worker. */
  readonly #wishes: Float64Array;
  readonly #taken: number[];

  /** @param source number of workers, or the memory of other cells */
  constructor(source: number | SharedArrayBuffer) {
    if (typeof source !== "number") this.buffer = source;
    else this.buffer = new SharedArrayBuffer(bytesOf(source));
    const workers = workersOf(this.buffer.byteLength);
    const wishes = workers * RING * 2;
    this.#wishes = new Float64Array(this.buffer, 0, wishes);
    this.#cells = new Int32Array(this.buffer, wishes * 8, FIRST_HEAD + workers);
    this.#taken = new Array(workers).fill(0);
  }

  /** Publishes a worker's wish; only one thread may publish wishes of a worker. */
  wish(worker: number, { kind, dueNs }: CanaryWish): void {
    const head = Atomics.load(this.#cells, FIRST_HEAD + worker);
    const at = (worker * RING + (head & (RING - 1))) * 2;
    this.#wishes[at] = kind;
    this.#wishes[at + 1] = dueNs;
    Atomics.store(this.#cells, FIRST_HEAD + worker, head + 1);
    this.#wake();
  }

  /** The wishes since the last call, in no order. */
  *take(): Generator<CanaryWish & { readonly worker: number }> {
    for (let worker = 0; worker < this.#taken.length; worker++) {
      const head = Atomics.load(this.#cells, FIRST_HEAD + worker);
      const first = Math.max(this.#taken[worker] as number, head - RING);
      for (let number = first; number < head; number++) {
        const at = (worker * RING + (number & (RING - 1))) * 2;
        yield {
          worker,
          kind: this.#wishes[at] as number,
          dueNs: this.#wishes[at + 1] as number,
        };
      }
      this.#taken[worker] = head;
    }
  }

  /** No more canaries are written in a phase, nor in those before it. */
  end(phase: number): void {
    Atomics.store(this.#cells, ENDED, phase);
    this.#wake();
  }

  /** Whether canaries are still to be written in a phase; they are numbered from 1. */
  isUnderWay(phase: number): boolean {
    return Atomics.load(this.#cells, ENDED) < phase;
  }

  /** Value to pass to {@linkcode CanaryCells.sleep}, read before checking whether to sleep. */
  get wakeCount(): number {
    return Atomics.load(this.#cells, WAKE);
  }

  /** Blocks until the next wake-up after `wakeCount` was read, or until the time is over. */
  sleep(wakeCount: number, milliseconds: number): void {
    if (milliseconds > 0) Atomics.wait(this.#cells, WAKE, wakeCount, milliseconds);
  }

  #wake(): void {
    Atomics.add(this.#cells, WAKE, 1);
    Atomics.notify(this.#cells, WAKE);
  }
}

/** Room for the rings, a head for each of them, the wake-up count and the last phase that has ended. */
function bytesOf(workers: number): number {
  return workers * RING * 2 * Float64Array.BYTES_PER_ELEMENT +
    (FIRST_HEAD + workers) * Int32Array.BYTES_PER_ELEMENT;
}

function workersOf(bytes: number): number {
  const each = RING * 2 * Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT;
  return Math.floor(bytes / each);
}
