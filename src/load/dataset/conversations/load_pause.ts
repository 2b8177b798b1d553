/** Maximum work between two checks for a signal, in milliseconds. */
const SHIFT_MS = 20;

/** Lets a long computation be interrupted. */
export class LoadPause {
  readonly #signal: AbortSignal;
  #shiftStartMs = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time for {@linkcode LoadPause.take}. */
  get isDue(): boolean {
    return performance.now() - this.#shiftStartMs > SHIFT_MS;
  }

  /**
   * Lets other events of this thread happen.
   * @throws the signal's reason once it is aborted
   */
  async take(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
    this.#shiftStartMs = performance.now();
  }
}
