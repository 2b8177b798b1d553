/** Samples that are kept; a sample every 50 ms fills this in half a day. */
const MAX_SAMPLES = 1_000_000;

/**
 * Measures how long an event that is ready has to wait until this thread looks at it: the time from
 * posting a message to oneself to getting it, a few microseconds on an idle loop. That is the error
 * which the thread may add to the stamp of a token.
 */
export class LoopLagProbe {
  readonly #channel = new MessageChannel();
  #samples: number[] = [];
  #sentMs = NaN;

  constructor() {
    this.#channel.port1.onmessage = () => {
      if (!Number.isNaN(this.#sentMs) && this.#samples.length < MAX_SAMPLES) {
        this.#samples.push(performance.now() - this.#sentMs);
      }
      this.#sentMs = NaN;
    };
  }

  /** Forgets earlier samples. */
  begin(): void {
    this.#samples = [];
  }

  /** Takes a sample, unless the last one has not come back. */
  measure(): void {
    if (!Number.isNaN(this.#sentMs)) return;
    this.#sentMs = performance.now();
    this.#channel.port2.postMessage(null);
  }

  /** The samples since the beginning, in milliseconds. */
  take(): Float64Array<ArrayBuffer> {
    return Float64Array.from(this.#samples);
  }
}
