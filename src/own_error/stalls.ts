import { CANARY_KIND } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { FloatColumn } from "../statistics/float_column.ts";
import { lowerBound } from "../statistics/search_sorted.ts";

/** Stretches in which a load thread stood still, in the order of time. */
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

  /** How much of a stretch of time lies within them, in nanoseconds. */
  overlapNs(fromNs: number, toNs: number): number {
    const starts = this.#startNs.values;
    const ends = this.#endNs.values;
    let overlap = 0;
    for (let at = lowerBound(ends, fromNs); at < starts.length; at++) {
      const startNs = starts[at] as number;
      if (startNs >= toNs) break;
      overlap += Math.max(0, Math.min(toNs, ends[at] as number) - Math.max(fromNs, startNs));
    }
    return overlap;
  }
}

/** The standstills of each load worker that had one. */
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
