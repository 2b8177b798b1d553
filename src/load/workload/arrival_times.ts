import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { arrivals } from "./arrivals.ts";

/**
 * Arrivals by their number, from a sequence that can only be run from its beginning.
 *
 * Numbers that ascend cost a step each; for a smaller one than the last the sequence starts over.
 */
export class ArrivalTimes {
  readonly #restart: () => Iterator<number>;
  #sequence: Iterator<number>;
  #index = -1;
  #offsetNs = 0;

  /** @param restart gives the sequence from its beginning, the same each time */
  constructor(restart: () => Iterator<number>) {
    this.#restart = restart;
    this.#sequence = restart();
  }

  /**
   * Returns the arrival times of a phase; undefined in a closed loop, which has no arrival times.
   */
  static ofPhase({ kind, load }: PhasePlan, seed: number): ArrivalTimes | undefined {
    return load.loop === "open" ? new ArrivalTimes(() => arrivals(load, seed, kind)) : undefined;
  }

  /** Offset of an arrival in nanoseconds; Infinity if the sequence ends before it. */
  at(index: number): number {
    if (index < this.#index) {
      this.#sequence = this.#restart();
      this.#index = -1;
    }
    while (this.#index < index) {
      const { done, value } = this.#sequence.next();
      this.#offsetNs = done ? Infinity : value;
      this.#index++;
    }
    return this.#offsetNs;
  }
}
