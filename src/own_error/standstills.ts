import type { CanaryLog } from "../canary/canary_log.ts";
import { MESSAGE_KINDS, STALL_TICK_MS } from "../canary/canary_kind.ts";
import { lowerBound } from "../statistics/search_sorted.ts";
import { canaryDelays } from "./canary_delays.ts";
import { areFewCanaries } from "./few_canaries.ts";
import { Stalls, stallsByWorker } from "./stalls.ts";

/** Shorter standstills are frequent on a busy machine, and canaries tell of them. */
export const LONG_STANDSTILL_NS = 50e6;
/** The same where canaries are few. */
const LONG_OF_FEW_NS = 5e6;
/** What came meanwhile is read within so long after the end of one. */
export const SETTLED_NS = 150e6;

/**
 * Long standstills of load threads. They are rare, and the canaries that happen to have been due in one
 * tell little of how many chunks came in it; but which chunks can have is known of each.
 */
export class Standstills {
  readonly #of = new Map<number, Stalls>();

  constructor(canaries: CanaryLog) {
    const delays = canaryDelays(canaries, MESSAGE_KINDS);
    const areFew = areFewCanaries([...delays.values()].map(({ readNs }) => readNs));
    const atLeastNs = areFew ? LONG_OF_FEW_NS : LONG_STANDSTILL_NS;
    for (const [worker, stalls] of stallsByWorker(canaries)) {
      const long = longOf(stalls, delays.get(worker)?.readNs ?? new Float64Array(0), atLeastNs);
      if (long.lastedNs > 0) this.#of.set(worker, long);
    }
  }

  /** Whether there was any. */
  get any(): boolean {
    return this.#of.size > 0;
  }

  /** How much of a stretch of time a thread stood still for certain, in nanoseconds. */
  overlapNs(worker: number, fromNs: number, toNs: number): number {
    return this.#of.get(worker)?.overlapNs(fromNs, toNs) ?? 0;
  }

  /**
   * So long at most a chunk lay unread because its thread stood still, in nanoseconds.
   * @param startNs when its request began
   * @param stampNs when it was read
   */
  mostNs(worker: number, startNs: number, stampNs: number): number {
    return this.#of.get(worker)?.latelyNs(startNs, stampNs, SETTLED_NS, STALL_TICK_MS * 1e6) ?? 0;
  }
}

/** Those without a canary that was read meanwhile: the timer alone was late then. */
function longOf(stalls: Stalls, readNs: Float64Array, atLeastNs: number): Stalls {
  const long = new Stalls();
  for (const { startNs, endNs } of stalls) {
    let fromNs = startNs;
    for (let at = lowerBound(readNs, startNs); fromNs < endNs; at++) {
      const toNs = Math.min(endNs, readNs[at] ?? Infinity);
      if (toNs - fromNs >= atLeastNs) long.add(fromNs, toNs);
      fromNs = toNs;
    }
  }
  return long;
}
