/** Places in the array of whole numbers. */
const SETTING = 0;
const STOPPED = 1;

/** The time of the next alarm, in shared memory. */
export class AlarmCells {
  readonly buffer: SharedArrayBuffer;
  /** A number that changes with each setting, and whether there will be no more alarms. */
  readonly #flags: Int32Array;
  /** Milliseconds from the last setting to the alarm; Infinity for none. */
  readonly #delay: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#delay = new Float64Array(buffer, 0, 1);
    this.#flags = new Int32Array(buffer, 8, 2);
  }

  /** Sets the alarm; it replaces the one before. */
  set(delayMs: number): void {
    this.#delay[0] = delayMs;
    this.#wake();
  }

  /** Ends the sleep for good. */
  stop(): void {
    Atomics.store(this.#flags, STOPPED, 1);
    this.#wake();
  }

  /**
   * Blocks this thread until the alarm is due, then clears it.
   * @returns false if there will be no more alarms
   */
  sleepUntilDue(): boolean {
    for (;;) {
      const seen = Atomics.load(this.#flags, SETTING);
      if (Atomics.load(this.#flags, STOPPED) === 1) return false;
      const delayMs = this.#delay[0] as number;
      if (delayMs <= 0 || Atomics.wait(this.#flags, SETTING, seen, delayMs) === "timed-out") {
        // Another setting may have come at this very moment; it is looked at next time.
        if (Atomics.load(this.#flags, SETTING) === seen) this.#delay[0] = Infinity;
        return true;
      }
    }
  }

  #wake(): void {
    Atomics.add(this.#flags, SETTING, 1);
    Atomics.notify(this.#flags, SETTING);
  }
}
