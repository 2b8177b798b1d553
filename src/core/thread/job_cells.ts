const HAS_BEGUN = 0;
const IS_STOPPED = 1;
const DONE = 2;
const RESULT = 3;
const UNANSWERED = 4;
const CELLS = 5;

/** Result of a job that the answering thread refuses. */
export const REFUSED = -1;

/** A job for another thread. */
export interface Job {
  /** Number of the job, from 1. */
  readonly job: number;
}

/**
 * Shared memory of a thread that asks for one number at a time and waits for it, the thread that
 * answers, and main.
 */
export class JobCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Notes that the answering thread takes jobs. */
  begin(): void {
    Atomics.store(this.#cells, HAS_BEGUN, 1);
    Atomics.notify(this.#cells, HAS_BEGUN);
  }

  /** Blocks this thread until the answering thread takes jobs, at most for a time. */
  waitUntilBegun(mostMs: number): void {
    Atomics.wait(this.#cells, HAS_BEGUN, 0, mostMs);
  }

  /** Asks the waiting thread to give up jobs that take long. */
  stop(): void {
    Atomics.store(this.#cells, IS_STOPPED, 1);
  }

  /** Whether jobs that take long are to be given up. */
  get isStopped(): boolean {
    return Atomics.load(this.#cells, IS_STOPPED) === 1;
  }

  /** Number of the last job that is done; 0 for none. */
  get done(): number {
    return Atomics.load(this.#cells, DONE);
  }

  /** Number of jobs that were given up. */
  get unanswered(): number {
    return Atomics.load(this.#cells, UNANSWERED);
  }

  /** Notes a job that is given up. */
  noteUnanswered(): void {
    Atomics.add(this.#cells, UNANSWERED, 1);
  }

  /** Answers the jobs of a port. @param resultOf throws if it refuses a job */
  answerJobs<J extends Job>(port: MessagePort, resultOf: (job: J) => number): void {
    port.onmessage = ({ data }: MessageEvent<J>) => {
      let result = REFUSED;
      try {
        result = resultOf(data);
      } catch {
        // The thread that waits reports it.
      }
      this.answer(data.job, result);
    };
  }

  /** Answers a job. @param result whole number, or {@linkcode REFUSED} */
  answer(job: number, result: number): void {
    Atomics.store(this.#cells, RESULT, result);
    Atomics.store(this.#cells, DONE, job);
    Atomics.notify(this.#cells, DONE);
  }

  /**
   * Blocks this thread until a job is answered.
   * @param nextMs time until it is called again, in milliseconds; 0 or less to give up
   * @returns the result; undefined if the job was given up
   */
  wait(job: number, nextMs: () => number): number | undefined {
    for (let done = this.done; done !== job; done = this.done) {
      const milliseconds = nextMs();
      if (milliseconds <= 0) return undefined;
      Atomics.wait(this.#cells, DONE, done, milliseconds);
    }
    return Atomics.load(this.#cells, RESULT);
  }
}
