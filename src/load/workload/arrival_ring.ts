const KNOWN = 0;
const TOTAL = 1;
const CELLS = 2;
/** Far more than are known ahead of the session that was begun last. */
const LENGTH = 65_536;

/**
 * Times of a schedule that is read while it is sent, in shared memory. The thread that reads the
 * file writes them; the pacer, which sleeps between arrivals and receives no messages, reads them.
 */
export class ArrivalRing {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #timesNs: Float64Array;

  constructor(
    buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * 4 + LENGTH * 8),
  ) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#timesNs = new Float64Array(buffer, CELLS * 4);
  }

  /** Begins a phase: nothing is known yet. */
  begin(): void {
    Atomics.store(this.#cells, KNOWN, 0);
    Atomics.store(this.#cells, TOTAL, -1);
  }

  /** Adds the times of the next sessions, in nanoseconds of the trace. */
  add(timesNs: readonly number[]): void {
    const known = this.known;
    timesNs.forEach((timeNs, i) => this.#timesNs[(known + i) % LENGTH] = timeNs);
    Atomics.store(this.#cells, KNOWN, known + timesNs.length);
  }

  /** The file has ended: there are no more sessions than are known. */
  end(): void {
    Atomics.store(this.#cells, TOTAL, this.known);
  }

  /** Sessions whose times are known. */
  get known(): number {
    return Atomics.load(this.#cells, KNOWN);
  }

  /** Sessions of the phase; Infinity as long as the file has not ended. */
  get total(): number {
    const total = Atomics.load(this.#cells, TOTAL);
    return total < 0 ? Infinity : total;
  }

  /** Time of a session; only of one that has not begun long ago. */
  at(index: number): number {
    return this.#timesNs[index % LENGTH] as number;
  }
}
