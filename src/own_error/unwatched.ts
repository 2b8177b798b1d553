import { lowerBound } from "../statistics/search_sorted.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** No canary comes for so long only where none is written any more, or none can be read. */
const MIN_GAP_NS = 3e9;
/** The same where canaries are farther apart, as those that are kept of a run of days. */
const GAP_SPACINGS = 30;

/** How long no canary of a thread may be read before nothing is known of that time. */
export function longestWatchedGapNs({ readNs }: WorkerDelays): number {
  const spanNs = (readNs.at(-1) ?? 0) - (readNs[0] ?? 0);
  return Math.max(MIN_GAP_NS, GAP_SPACINGS * spanNs / Math.max(1, readNs.length - 1));
}

/**
 * Whether no canary of a thread was read about a time: the thread that writes them may have ended,
 * or its connections.
 */
function isUnwatched(delays: WorkerDelays, stampNs: number): boolean {
  const { readNs } = delays;
  const next = lowerBound(readNs, stampNs);
  const after = (readNs[next] ?? Infinity) - stampNs;
  const before = stampNs - (readNs[next - 1] ?? -Infinity);
  return Math.min(before, after) > longestWatchedGapNs(delays);
}

/**
 * The same of a thread by its number. One that read no canary is like the others, but not where they
 * have read canaries for longer than that: then it cannot read any.
 */
export function isUnwatchedOn(
  canaries: ReadonlyMap<number, WorkerDelays>,
  worker: number,
  stampNs: number,
): boolean {
  const own = canaries.get(worker);
  return own === undefined ? areLong(canaries) : isUnwatched(own, stampNs);
}

/** Whether canaries were read for so long that a thread without any cannot read them. */
export function areLong(canaries: ReadonlyMap<number, WorkerDelays>): boolean {
  for (const { readNs } of canaries.values()) {
    if ((readNs.at(-1) ?? 0) - (readNs[0] ?? 0) > MIN_GAP_NS) return true;
  }
  return false;
}
