import { LoopTurn } from "../../core/thread/loop_turn.ts";

/** Maximum number of samples that are kept; one day takes this many. */
const MAX_SAMPLES = 1_000_000;
/**
 * Mean interval between samples in milliseconds, with a jitter of half of it, so that samples are
 * not synchronized with anything.
 */
const MEAN_INTERVAL_MS = 100;

/**
 * Measures how long this thread is busy with messages and promises: a few microseconds on an idle
 * loop. A chunk that is ready waits at least as long. Canaries measure the total read delay of
 * chunks, including sockets and other processes.
 */
export class LoopLagProbe {
  readonly #turn = new LoopTurn();
  #samples: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Begins to take samples; earlier ones are forgotten. */
  begin(): void {
    this.#samples = [];
    this.#schedule();
  }

  /** Ends taking samples and returns them, in milliseconds. */
  end(): Float64Array<ArrayBuffer> {
    clearTimeout(this.#timer);
    return Float64Array.from(this.#samples);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#measure(), MEAN_INTERVAL_MS * (0.5 + Math.random()));
  }

  #measure(): void {
    // Between the timer and its call the loop served whatever else was ready: what is measured is
    // what comes after it.
    this.#turn.next(() => {
      const startMs = performance.now();
      this.#turn.next(() => {
        if (this.#samples.length < MAX_SAMPLES) this.#samples.push(performance.now() - startMs);
        this.#schedule();
      });
    });
  }
}
