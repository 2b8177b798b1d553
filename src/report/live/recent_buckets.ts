import { LogBuckets } from "../../core/statistics/log_buckets.ts";

/** Seconds that count as recent. */
const SECONDS = 5;

/** Values of the last seconds: an older second is forgotten as a whole. */
export class RecentBuckets {
  readonly #seconds = Array.from({ length: SECONDS }, () => new LogBuckets());
  readonly #sum = new LogBuckets();
  #second = -Infinity;

  /** Adds a value that came at a time. */
  add(value: number, atSeconds: number): void {
    this.#turn(atSeconds);
    (this.#seconds[this.#second % SECONDS] as LogBuckets).add(value);
  }

  /** All of them together, until the next call. */
  at(atSeconds: number): LogBuckets {
    this.#turn(atSeconds);
    this.#sum.clear();
    for (const second of this.#seconds) this.#sum.addAll(second);
    return this.#sum;
  }

  #turn(atSeconds: number): void {
    const now = Math.floor(atSeconds);
    const first = Math.max(this.#second + 1, now - SECONDS + 1);
    for (let second = first; second <= now; second++) this.#seconds[second % SECONDS]?.clear();
    this.#second = Math.max(this.#second, now);
  }
}
