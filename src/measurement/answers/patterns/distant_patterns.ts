import { type Job, JobCells, REFUSED } from "../../../core/thread/job_cells.ts";
import type { PatternTester } from "./pattern_tester.ts";

/** Longest test of a text, in milliseconds. */
export const PATTERN_MS = 1000;
/** Maximum start-up time of the thread that tests, in milliseconds. */
const START_MS = 10_000;

/** Parts that a thread needs to have patterns tested by another thread. */
export interface DistantPatternsParts {
  /** Port to the pattern thread. */
  readonly port: MessagePort;
  readonly cells: SharedArrayBuffer;
}

/** A text to test. */
export interface PatternJob extends Job {
  readonly pattern: string;
  readonly flags: string;
  readonly text: string;
}

/**
 * Tests patterns in another thread: a thread that waits can give up where one that runs the pattern
 * cannot. While a pattern runs on, no other one is tested.
 */
export class DistantPatterns implements PatternTester {
  readonly #port: MessagePort;
  readonly #cells: JobCells;
  readonly #mostMs: number;
  #job = 0;

  /** @param mostMs longest test, in milliseconds */
  constructor({ port, cells }: DistantPatternsParts, mostMs = PATTERN_MS) {
    this.#port = port;
    this.#cells = new JobCells(cells);
    this.#mostMs = mostMs;
  }

  test(pattern: string, flags: string, text: string): boolean | undefined {
    const isBusy = this.#cells.done !== this.#job;
    const matches = isBusy ? undefined : this.#ask({ job: ++this.#job, pattern, flags, text });
    if (matches === undefined) this.#cells.noteUnanswered();
    return matches;
  }

  #ask(job: PatternJob): boolean | undefined {
    this.#port.postMessage(job);
    this.#cells.waitUntilBegun(START_MS);
    const endMs = performance.now() + this.#mostMs;
    const result = this.#cells.wait(job.job, () => endMs - performance.now());
    return result === undefined || result === REFUSED ? undefined : result === 1;
  }
}
