import type { CanaryLog } from "../canary/canary_log.ts";
import { stallsByWorker } from "./stalls.ts";

/**
 * Of threads that stood still for more of their time, nothing but rates is called valid: requests
 * then wait where no canary of the same moment does. Of 124 runs beside programs that took both
 * cores, a tenth and more of the time was lost in all of the four with a wrong verdict.
 */
export const MAX_LOST_SHARE = 0.1;

/** What of a run's time its load threads did not get. */
export interface LostTime {
  /** The share of the time of all threads in which they stood still; 0 if nothing is known. */
  readonly share: number;
  /** How long one of them stood still within a stretch of time, in nanoseconds. */
  within(worker: number, startNs: number, endNs: number): number;
  /** How long all of them together stood still within it. */
  ofAll(startNs: number, endNs: number): number;
}

/** Adds up the stalls of all load workers between the first and the last thing they read. */
export function lostTime(canaries: CanaryLog): LostTime {
  const threads = new Set(canaries.workers).size;
  const stallsOf = stallsByWorker(canaries);
  const readNs = canaries.column(3).filter((endNs) => !Number.isNaN(endNs)).sort();
  const spanNs = (readNs.at(-1) ?? 0) - (readNs[0] ?? 0);
  const lostNs = [...stallsOf.values()].reduce((sum, { lastedNs }) => sum + lastedNs, 0);
  return {
    share: spanNs > 0 ? Math.min(1, lostNs / (threads * spanNs)) : 0,
    within: (worker, startNs, endNs) => stallsOf.get(worker)?.overlapNs(startNs, endNs) ?? 0,
    ofAll: (startNs, endNs) =>
      [...stallsOf.values()].reduce((sum, stalls) => sum + stalls.overlapNs(startNs, endNs), 0),
  };
}
