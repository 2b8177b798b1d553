/** What the stall thread tells, in shared memory. */
export class StallCells {
  readonly buffer: SharedArrayBuffer;
  readonly #lostMs: Float64Array;
  readonly #sleeper: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#lostMs = new Float64Array(buffer, 0, 1);
    this.#sleeper = new Int32Array(buffer, 8, 1);
  }

  /** Milliseconds by which the thread has woken too late, all in all. */
  get lostMs(): number {
    return this.#lostMs[0] as number;
  }

  /** Counts a late wake-up. */
  lose(milliseconds: number): void {
    this.#lostMs[0] = this.lostMs + milliseconds;
  }

  /** Blocks this thread for so long. */
  sleep(milliseconds: number): void {
    Atomics.wait(this.#sleeper, 0, 0, milliseconds);
  }
}
