/** Lateness of a tick from which on its thread counts as stalled. */
const MIN_STALL_NS = 250e6;

/** An interval of the run's clock in which nothing was done. */
export interface Stall {
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * Finds the times at which a thread stalled, from a timer's ticks that come too late: the machine
 * was suspended, the process was stopped, or others had all of its processors.
 */
export class StallDetector {
  readonly #intervalNs: number;
  #dueNs = Infinity;
  #stalls: Stall[] = [];

  /** @param intervalMs time between two ticks */
  constructor(intervalMs: number) {
    this.#intervalNs = intervalMs * 1e6;
  }

  /** Starts over; earlier stalls are forgotten. */
  begin(nowNs: number): void {
    this.#dueNs = nowNs + this.#intervalNs;
    this.#stalls = [];
  }

  /**
   * Adds a tick.
   * @returns whether the thread stalled before it
   */
  tick(nowNs: number): boolean {
    const startNs = this.#dueNs;
    this.#dueNs = nowNs + this.#intervalNs;
    const isStall = nowNs - startNs >= MIN_STALL_NS;
    if (isStall) this.#stalls.push({ startNs, endNs: nowNs });
    return isStall;
  }

  /** Stalls since the beginning, the one that has not seen its end yet included. */
  end(nowNs: number): readonly Stall[] {
    this.tick(nowNs);
    return this.#stalls;
  }
}

/** Returns the intervals in which all threads stalled, and with them the whole process. */
export function commonStalls(threads: readonly (readonly Stall[])[]): Stall[] {
  const [first = [], ...others] = threads;
  return others
    .reduce<readonly Stall[]>((common, stalls) => overlaps(common, stalls), first)
    .filter(({ startNs, endNs }) => endNs - startNs >= MIN_STALL_NS);
}

function overlaps(some: readonly Stall[], others: readonly Stall[]): Stall[] {
  return some.flatMap((stall) =>
    others.map((other) => ({
      startNs: Math.max(stall.startNs, other.startNs),
      endNs: Math.min(stall.endNs, other.endNs),
    }))
  ).filter(({ startNs, endNs }) => endNs > startNs);
}
