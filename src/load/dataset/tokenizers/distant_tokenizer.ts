import { type Job, JobCells, REFUSED } from "../../../core/thread/job_cells.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Maximum time of a count after the run was interrupted, in milliseconds. */
const LAST_COUNT_MS = 500;
/** Interval at which a waiting thread checks for an interrupt, in milliseconds. */
const LOOK_MS = 50;

/** Parts that a thread needs to have tokens counted by another thread. */
export interface DistantTokenizerParts {
  readonly kind: "thread";
  /** Name of the tokenizer in reports. */
  readonly name: string;
  /** Port to the tokenizer thread. */
  readonly port: MessagePort;
  readonly cells: SharedArrayBuffer;
}

/** A text to count. */
export interface CountingJob extends Job {
  readonly text: string;
}

/**
 * A tokenizer in another thread: a pattern of a tokenizer's file may take hours for one text, and a
 * thread that waits can give up where one that runs the pattern cannot.
 */
export class DistantTokenizer implements Tokenizer {
  readonly name: string;
  readonly #port: MessagePort;
  readonly #cells: JobCells;
  #job = 0;
  #hasGivenUp = false;

  constructor({ name, port, cells }: DistantTokenizerParts) {
    this.name = name;
    this.#port = port;
    this.#cells = new JobCells(cells);
  }

  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /**
   * Waits for the count of the other thread.
   * @returns NaN if the run was interrupted and the count took too long
   * @throws {Error} if the tokenizer refuses the text
   */
  count(text: string): number {
    if (this.#hasGivenUp) return this.#uncounted();
    const job = ++this.#job;
    this.#port.postMessage({ job, text } satisfies CountingJob);
    const tokens = this.#wait(job);
    if (tokens === REFUSED) throw new Error("The tokenizer cannot count the tokens of a reply");
    if (tokens !== undefined) return tokens;
    this.#hasGivenUp = true;
    return this.#uncounted();
  }

  #wait(job: number): number | undefined {
    const cells = this.#cells;
    let endMs = Infinity;
    return cells.wait(job, () => {
      const nowMs = performance.now();
      if (cells.isStopped) endMs = Math.min(endMs, nowMs + LAST_COUNT_MS);
      return Math.min(LOOK_MS, endMs - nowMs);
    });
  }

  #uncounted(): number {
    this.#cells.noteUnanswered();
    return NaN;
  }
}
