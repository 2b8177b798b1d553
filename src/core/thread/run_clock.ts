import type { ClockCells } from "./clock_cells.ts";

/** Exchanges of one handshake; the fastest one is used. */
const ROUNDS = 10;

/**
 * The run's clock: nanoseconds since the run began, the same on all threads.
 *
 * Each thread's `performance.now()` counts from that thread's start. A handshake over shared memory
 * finds the difference to main's to within half of the quickest exchange: 4 to 30 us, milliseconds
 * where threads wait for cores, as messages would always be. The start times by the wall clock give
 * the difference to a microsecond, if that clock was not set and no thread was interrupted in
 * between. They are therefore used if the exchange does not contradict them. The clock is
 * monotonic: a change of the wall clock during the run does not touch it.
 */
export interface RunClock {
  /** Now, in whole nanoseconds of the run. */
  nowNs(): number;
}

/** The clock of the thread on which the run began. */
export class MainClock implements RunClock {
  readonly #nowMs: () => number;
  readonly #startMs: number;
  /** Nanoseconds from 1970 to the start of the run. */
  readonly baseEpochNs: bigint;

  /** @param nowMs milliseconds since this thread's birth */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
    // A double holds today's epoch to about 0.2 us in milliseconds, but only to 256 in nanoseconds.
    const epochMicros = Math.round((performance.timeOrigin + this.#startMs) * 1e3);
    this.baseEpochNs = BigInt(epochMicros) * 1000n;
  }

  nowNs(): number {
    return Math.round((this.#nowMs() - this.#startMs) * 1e6);
  }

  /**
   * Finds what a worker must add to its own reading to get main's, in milliseconds. The worker
   * must be in {@linkcode answerHandshake}; this thread is blocked until then.
   */
  handshake(cells: Pick<ClockCells, "readWorkerClock" | "workerOriginMs">): number {
    let leastMs = -Infinity;
    let mostMs = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
      const sent = this.#nowMs();
      const reading = cells.readWorkerClock();
      const received = this.#nowMs();
      if (received - sent < mostMs - leastMs) {
        leastMs = sent - this.#startMs - reading;
        mostMs = received - this.#startMs - reading;
      }
    }
    const byOriginsMs = cells.workerOriginMs - performance.timeOrigin - this.#startMs;
    return leastMs <= byOriginsMs && byOriginsMs <= mostMs ? byOriginsMs : (leastMs + mostMs) / 2;
  }
}

/** The clock that the threads' are set by. */
export type LeadingClock = Pick<MainClock, "nowNs" | "handshake">;

/** A worker's part in the handshake. */
export function answerHandshake(cells: Pick<ClockCells, "answerClockReads">): void {
  cells.answerClockReads(() => performance.now(), performance.timeOrigin, ROUNDS);
}

/** The run's clock on a worker that knows its offset. */
export function workerClock(offsetMs: number): RunClock {
  return { nowNs: () => Math.round((performance.now() + offsetMs) * 1e6) };
}
