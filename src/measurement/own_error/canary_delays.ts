import { percentile } from "../../core/statistics/percentile.ts";
import { lowerBound, upperBound } from "../../core/statistics/search_sorted.ts";
import { CANARY_KIND, type CanaryKind } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { stallsByWorker } from "./stalls.ts";

/** Canaries of a load worker in the order in which they were read. */
export interface WorkerDelays {
  readonly readNs: Float64Array;
  /** Read delay of each canary in nanoseconds. */
  readonly delayNs: Float64Array;
}

/** Rules for delays, in addition to the time from writing to reading. */
export interface DelayRules {
  /**
   * Whether canaries count from when they were intended, less what they usually wait for the thread that
   * writes them. @default false
   */
  readonly fromIntended?: boolean;
}

/**
 * Returns the delays of canaries by load worker: from the time each was written to the time it was
 * read. The thread that writes them stalls with the machine. If the load worker stalled, too, the
 * delay of a canary starts at its intended time.
 */
export function canaryDelays(
  log: CanaryLog,
  wanted: readonly CanaryKind[],
  rules: DelayRules = {},
): Map<number, WorkerDelays> {
  const [intendedNs, writtenNs, readNs] = [log.column(1), log.column(2), log.column(3)];
  const rowsOf = rowsByWorker(log, wanted);
  const stallsOf = stallsByWorker(log);
  const waited = (row: number): number => (writtenNs[row] as number) - (intendedNs[row] as number);
  const usualNs = rules.fromIntended === true
    ? percentile(Float64Array.from([...rowsOf.values()].flat(), waited).sort(), 50)
    : Infinity;
  const delays = new Map<number, WorkerDelays>();
  for (const [worker, rows] of rowsOf) {
    const stalls = stallsOf.get(worker);
    delays.set(worker, {
      readNs: Float64Array.from(rows, (row) => readNs[row] as number),
      delayNs: Float64Array.from(rows, (row) => {
        const written = writtenNs[row] as number;
        const [intended, read] = [intendedNs[row] as number, readNs[row] as number];
        const unwritten = stalls?.overlapNs(intended, written) ?? 0;
        return Math.max(0, read - written) + Math.max(0, unwritten, waited(row) - usualNs);
      }),
    });
  }
  return delays;
}

/** The rows of some kinds by load worker, in the order in which they were read. */
export function rowsByWorker(log: CanaryLog, wanted: readonly CanaryKind[]): Map<number, number[]> {
  const numbers = new Set<number>(wanted.map((kind) => CANARY_KIND[kind]));
  const [kinds, readNs] = [log.column(0), log.column(3)];
  const rowsOf = new Map<number, number[]>();
  log.workers.forEach((worker, row) => {
    if (!numbers.has(kinds[row] as number)) return;
    const rows = rowsOf.get(worker);
    if (rows === undefined) rowsOf.set(worker, [row]);
    else rows.push(row);
  });
  for (const rows of rowsOf.values()) {
    rows.sort((a, b) => (readNs[a] as number) - (readNs[b] as number));
  }
  return rowsOf;
}

/**
 * Returns the longest delay of what was read within an interval of time; 0 if nothing was read.
 */
export function longestWithin(
  { delayNs, readNs }: WorkerDelays,
  fromNs: number,
  toNs: number,
): number {
  return delayNs.subarray(lowerBound(readNs, fromNs), upperBound(readNs, toNs))
    .reduce((longest, delay) => Math.max(longest, delay), 0);
}
