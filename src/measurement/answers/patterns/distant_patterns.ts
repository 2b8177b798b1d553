import { PatternCells } from "./pattern_cells.ts";
import type { PatternTester } from "./pattern_tester.ts";

/** Longest test of a text, in milliseconds. */
export const PATTERN_MS = 1000;

/** Parts that a thread needs to have patterns tested by another thread. */
export interface DistantPatternsParts {
  /** Port to the pattern thread. */
  readonly port: MessagePort;
  readonly cells: SharedArrayBuffer;
}

/** A text to test. */
export interface PatternJob {
  readonly job: number;
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
  readonly #cells: PatternCells;
  readonly #mostMs: number;
  #job = 0;

  /** @param mostMs longest test, in milliseconds */
  constructor({ port, cells }: DistantPatternsParts, mostMs = PATTERN_MS) {
    this.#port = port;
    this.#cells = new PatternCells(cells);
    this.#mostMs = mostMs;
  }

  test(pattern: string, flags: string, text: string): boolean | undefined {
    const isBusy = this.#cells.done !== this.#job;
    const matches = isBusy ? undefined : this.#ask({ job: ++this.#job, pattern, flags, text });
    if (matches === undefined) this.#cells.noteUntested();
    return matches;
  }

  #ask(job: PatternJob): boolean | undefined {
    this.#port.postMessage(job);
    return this.#cells.wait(job.job, this.#mostMs);
  }
}
