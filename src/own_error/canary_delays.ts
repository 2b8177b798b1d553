import { CANARY_KIND, type CanaryKind } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { FloatColumn } from "../statistics/float_column.ts";
import { lowerBound } from "../statistics/search_sorted.ts";

/** Canaries of a load worker in the order in which they were read. */
export interface WorkerDelays {
  readonly readNs: Float64Array;
  /** How long each had lain unread. */
  readonly delayNs: Float64Array;
}

/**
 * The delays of canaries by load worker: from the time at which each was written to the time at which
 * it was read. The thread that writes them stands still with the machine, so where the load worker
 * stood still, too, a canary counts from when it was intended.
 */
export function canaryDelays(
  log: CanaryLog,
  wanted: readonly CanaryKind[],
): Map<number, WorkerDelays> {
  const kinds = new Set<number>(wanted.map((kind) => CANARY_KIND[kind]));
  const [kind, intendedNs, writtenNs, readNs] = [
    log.column(0),
    log.column(1),
    log.column(2),
    log.column(3),
  ];
  const rowsOf = new Map<number, number[]>();
  const stallsOf = new Map<number, Stalls>();
  log.workers.forEach((worker, row) => {
    if (kind[row] === CANARY_KIND.stall) {
      let stalls = stallsOf.get(worker);
      if (stalls === undefined) stallsOf.set(worker, stalls = new Stalls());
      stalls.add(intendedNs[row] as number, readNs[row] as number);
    } else if (kinds.has(kind[row] as number)) {
      const rows = rowsOf.get(worker);
      if (rows === undefined) rowsOf.set(worker, [row]);
      else rows.push(row);
    }
  });
  const delays = new Map<number, WorkerDelays>();
  for (const [worker, rows] of rowsOf) {
    rows.sort((a, b) => (readNs[a] as number) - (readNs[b] as number));
    const stalls = stallsOf.get(worker);
    delays.set(worker, {
      readNs: Float64Array.from(rows, (row) => readNs[row] as number),
      delayNs: Float64Array.from(rows, (row) => {
        const written = writtenNs[row] as number;
        const unwritten = stalls?.overlapNs(intendedNs[row] as number, written) ?? 0;
        return Math.max(0, (readNs[row] as number) - written) + unwritten;
      }),
    });
  }
  return delays;
}

/** Stretches in which a thread stood still, in the order of time. */
class Stalls {
  readonly #startNs = new FloatColumn();
  readonly #endNs = new FloatColumn();

  add(startNs: number, endNs: number): void {
    this.#startNs.push(startNs);
    this.#endNs.push(endNs);
  }

  /** How much of a stretch lies within them. */
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
