import { CANARY_KIND } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";

/** What of a run's time its load threads did not get. */
export interface LostTime {
  /** The share of the time of all threads in which they stood still; 0 if nothing is known. */
  readonly share: number;
  /** How long one of them stood still within a stretch of time, in nanoseconds. */
  within(worker: number, startNs: number, endNs: number): number;
}

/** Adds up the standstills of all load workers between the first and the last thing they read. */
export function lostTime(canaries: CanaryLog): LostTime {
  const [kinds, starts, ends] = [canaries.column(0), canaries.column(1), canaries.column(3)];
  const { workers } = canaries;
  const threads = new Set(workers).size;
  const stalls = [...kinds.keys()].filter((row) => kinds[row] === CANARY_KIND.stall);
  const lastedNs = (row: number) => (ends[row] as number) - (starts[row] as number);
  const readNs = ends.filter((endNs) => !Number.isNaN(endNs)).sort();
  const spanNs = (readNs.at(-1) ?? 0) - (readNs[0] ?? 0);
  const lostNs = stalls.reduce((sum, row) => sum + lastedNs(row), 0);
  return {
    share: spanNs > 0 ? Math.min(1, lostNs / (threads * spanNs)) : 0,
    within: (worker, startNs, endNs) =>
      stalls.reduce((sum, row) => {
        if (workers[row] !== worker) return sum;
        const fromNs = Math.max(startNs, starts[row] as number);
        return sum + Math.max(0, Math.min(endNs, ends[row] as number) - fromNs);
      }, 0),
  };
}
