/** The time of the next alarm, in shared memory. */
export class AlarmCells {
  readonly buffer: SharedArrayBuffer;
  /** Changes with each setting. */
  readonly #setting: Int32Array;
  /** Milliseconds from the last setting to the alarm; Infinity for none. */
  readonly #delay: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#delay = new Float64Array(buffer, 0, 1);
    this.#setting = new Int32Array(buffer, 8, 1);
  }

  /** Sets the alarm; it replaces the one before. */
  set(delayMs: number): void {
    this.#delay[0] = delayMs;
    Atomics.add(this.#setting, 0, 1);
    Atomics.notify(this.#setting, 0);
  }

  /** Blocks this thread until the alarm is due, then clears it. */
  sleepUntilDue(): void {
    for (let seen = Atomics.load(this.#setting, 0);;) {
      const delayMs = this.#delay[0] as number;
      if (delayMs <= 0 || Atomics.wait(this.#setting, 0, seen, delayMs) === "timed-out") {
        // Another setting may have come at this very moment; it is looked at next time.
        if (Atomics.load(this.#setting, 0) === seen) this.#delay[0] = Infinity;
        return;
      }
      seen = Atomics.load(this.#setting, 0);
    }
  }
}
