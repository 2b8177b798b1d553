const DONE = 0;
const COUNT = 1;
const STOP = 2;
const UNCOUNTED = 3;
const CELLS = 4;

/** Count of a text that the tokenizer refuses. */
const REFUSED = -1;
/** Interval at which a waiting thread checks for an interrupt, in milliseconds. */
const LOOK_MS = 50;

/**
 * Shared memory of the threads that count tokens: main stops the counting, one thread asks for one
 * count at a time, another counts.
 */
export class CountingCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Ends the wait for counts that take long. */
  stop(): void {
    Atomics.store(this.#cells, STOP, 1);
  }

  /** Number of texts whose tokens were not counted. */
  get uncounted(): number {
    return Atomics.load(this.#cells, UNCOUNTED);
  }

  /** Notes a text that is not counted. */
  noteUncounted(): void {
    Atomics.add(this.#cells, UNCOUNTED, 1);
  }

  /** Answers a job. @param tokens undefined if the tokenizer refuses the text */
  answer(job: number, tokens: number | undefined): void {
    Atomics.store(this.#cells, COUNT, tokens ?? REFUSED);
    Atomics.store(this.#cells, DONE, job);
    Atomics.notify(this.#cells, DONE);
  }

  /**
   * Blocks this thread until a job is answered.
   * @param mostMs longest wait after the counting was stopped, in milliseconds
   * @returns the tokens; NaN if it took longer
   * @throws {Error} if the tokenizer refuses the text
   */
  wait(job: number, mostMs: number): number {
    let stoppedMs: number | undefined;
    for (;;) {
      const done = Atomics.load(this.#cells, DONE);
      if (done === job) break;
      if (Atomics.load(this.#cells, STOP) === 1) {
        stoppedMs ??= performance.now();
        if (performance.now() - stoppedMs >= mostMs) return NaN;
      }
      Atomics.wait(this.#cells, DONE, done, LOOK_MS);
    }
    const tokens = Atomics.load(this.#cells, COUNT);
    if (tokens === REFUSED) throw new Error("The tokenizer cannot count the tokens of a reply");
    return tokens;
  }
}
