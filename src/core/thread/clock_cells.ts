const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Turn of the exchange: odd while the worker's answer is awaited. */
const TURN = 0;
const TURN_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Shared memory over which two threads read each other's clocks. */
export class ClockCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  /** The worker's reading of its clock, and its birth. */
  readonly #clock: Float64Array;

  constructor(
    buffer: SharedArrayBuffer = new SharedArrayBuffer(
      TURN_BYTES + 2 * Float64Array.BYTES_PER_ELEMENT,
    ),
  ) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, 1);
    this.#clock = new Float64Array(buffer, TURN_BYTES, 2);
  }

  /** Start of the worker by the wall clock, as in its latest reading: epoch in ms. */
  get workerOriginMs(): number {
    return this.#clock[1] as number;
  }

  /**
   * Main's side of one exchange of clock readings; blocks until the worker has answered.
   * @throws {Error} if it does not answer within half a minute, also where the processor is emulated
   */
  readWorkerClock(): number {
    const turn = Atomics.load(this.#cells, TURN) + 1;
    Atomics.store(this.#cells, TURN, turn);
    Atomics.notify(this.#cells, TURN);
    const deadline = performance.now() + HANDSHAKE_TIMEOUT_MS;
    // The notification of the round before may come only now: it is the answer that counts.
    while (Atomics.load(this.#cells, TURN) === turn) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error("A worker thread does not answer");
      Atomics.wait(this.#cells, TURN, turn, leftMs);
    }
    return this.#clock[0] as number;
  }

  /**
   * The worker's side of `rounds` exchanges.
   * @param now milliseconds since its birth
   * @param originMs its birth, as {@linkcode workerOriginMs}
   */
  answerClockReads(now: () => number, originMs: number, rounds: number): void {
    this.#clock[1] = originMs;
    for (let round = 0; round < rounds; round++) {
      let turn = Atomics.load(this.#cells, TURN);
      while (turn % 2 === 0) {
        Atomics.wait(this.#cells, TURN, turn, 100);
        turn = Atomics.load(this.#cells, TURN);
      }
      this.#clock[0] = now();
      Atomics.store(this.#cells, TURN, turn + 1);
      Atomics.notify(this.#cells, TURN);
    }
  }
}
