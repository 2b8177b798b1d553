import { FloatColumn } from "../../core/statistics/float_column.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import { lowerBound } from "../../core/statistics/search_sorted.ts";
import { CANARY_KIND } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";

/** Intervals in which a load thread stalled, in the order of time. */
export class Stalls {
  readonly #startNs = new FloatColumn();
  readonly #endNs = new FloatColumn();
  #lastedNs = 0;

  /** How long they are together, in nanoseconds. */
  get lastedNs(): number {
    return this.#lastedNs;
  }

  /** Adds the next one. */
  add(startNs: number, endNs: number): void {
    this.#startNs.push(startNs);
    this.#endNs.push(endNs);
    this.#lastedNs += endNs - startNs;
  }

  /** All of them. */
  *[Symbol.iterator](): Generator<TimeWindow> {
    const starts = this.#startNs.values;
    const ends = this.#endNs.values;
    for (let at = 0; at < starts.length; at++) {
      yield { startNs: starts[at] as number, endNs: ends[at] as number };
    }
  }

  /** Returns how much of an interval lies within the stalls, in nanoseconds. */
  overlapNs(fromNs: number, toNs: number): number {
    return this.#overlapNs(fromNs, toNs, fromNs, 0);
  }

  /**
   * Returns how much of an interval lies within stalls that ended just before its end, in
   * nanoseconds, as each of them may have begun earlier.
   * @param lateNs stalls that ended longer than this before the end are skipped
   * @param earlierNs how much earlier each stall may have begun
   */
  latelyNs(fromNs: number, toNs: number, lateNs: number, earlierNs: number): number {
    return this.#overlapNs(fromNs, toNs, Math.max(fromNs, toNs - lateNs), earlierNs);
  }

  /** @param sinceNs those that ended before are left out */
  #overlapNs(fromNs: number, toNs: number, sinceNs: number, earlierNs: number): number {
    const starts = this.#startNs.values;
    const ends = this.#endNs.values;
    let overlap = 0;
    for (let at = lowerBound(ends, sinceNs); at < starts.length; at++) {
      const startNs = (starts[at] as number) - earlierNs;
      if (startNs >= toNs) break;
      overlap += Math.max(0, Math.min(toNs, ends[at] as number) - Math.max(fromNs, startNs));
    }
    return overlap;
  }
}

/** The stalls of each load worker that had one. */
export function stallsByWorker(log: CanaryLog): Map<number, Stalls> {
  const [kinds, startNs, endNs] = [log.column(0), log.column(1), log.column(3)];
  const stallsOf = new Map<number, Stalls>();
  log.workers.forEach((worker, row) => {
    if (kinds[row] !== CANARY_KIND.stall) return;
    let stalls = stallsOf.get(worker);
    if (stalls === undefined) stallsOf.set(worker, stalls = new Stalls());
    stalls.add(startNs[row] as number, endNs[row] as number);
  });
  return stallsOf;
}
