import { CANARY_KIND, type CanaryKind } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { stallsByWorker } from "./stalls.ts";

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
  const stallsOf = stallsByWorker(log);
  log.workers.forEach((worker, row) => {
    if (!kinds.has(kind[row] as number)) return;
    const rows = rowsOf.get(worker);
    if (rows === undefined) rowsOf.set(worker, [row]);
    else rows.push(row);
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
