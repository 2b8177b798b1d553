const IS_READY = 0;
const DONE = 1;
const OUTCOME = 2;
const UNTESTED = 3;
const CELLS = 4;

const REFUSED = -1;
/** Maximum start-up time of the thread that tests, in milliseconds. */
const START_MS = 10_000;

/** Shared memory of a thread that has patterns tested, the thread that tests them, and main. */
export class PatternCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Notes that the thread takes jobs. */
  begin(): void {
    Atomics.store(this.#cells, IS_READY, 1);
    Atomics.notify(this.#cells, IS_READY);
  }

  /** Number of the last job that is done. */
  get done(): number {
    return Atomics.load(this.#cells, DONE);
  }

  /** Number of texts that were not tested. */
  get untested(): number {
    return Atomics.load(this.#cells, UNTESTED);
  }

  /** Notes a text that is not tested. */
  noteUntested(): void {
    Atomics.add(this.#cells, UNTESTED, 1);
  }

  /** Answers a job. @param matches undefined if the pattern is refused */
  answer(job: number, matches: boolean | undefined): void {
    Atomics.store(this.#cells, OUTCOME, matches === undefined ? REFUSED : Number(matches));
    Atomics.store(this.#cells, DONE, job);
    Atomics.notify(this.#cells, DONE);
  }

  /**
   * Blocks this thread until a job is answered.
   * @param mostMs longest wait once the other thread has started, in milliseconds
   * @returns undefined if it took longer, or the pattern is refused
   */
  wait(job: number, mostMs: number): boolean | undefined {
    Atomics.wait(this.#cells, IS_READY, 0, START_MS);
    const endMs = performance.now() + mostMs;
    for (let done = this.done; done !== job; done = this.done) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return undefined;
      Atomics.wait(this.#cells, DONE, done, leftMs);
    }
    const outcome = Atomics.load(this.#cells, OUTCOME);
    return outcome === REFUSED ? undefined : outcome === 1;
  }
}
