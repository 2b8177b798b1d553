import type { CanaryLog } from "../canary/canary_log.ts";
import { stallsByWorker } from "./stalls.ts";

/**
 * Fraction of lost time above which only rates are classified as valid. If threads stalled for more
 * of their time, requests waited at moments without canaries. In runs next to programs that took
 * both cores, all wrong verdicts had a tenth and more of the time lost.
 */
export const MAX_LOST_SHARE = 0.1;

/** Part of a run's time that its load threads did not get. */
export interface LostTime {
  /** Fraction of the time of all threads in which they stalled; 0 if unknown. */
  readonly share: number;
  /** Returns how long one thread stalled within an interval of time, in nanoseconds. */
  within(worker: number, startNs: number, endNs: number): number;
  /** Returns how long all threads together stalled within an interval of time, in nanoseconds. */
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
