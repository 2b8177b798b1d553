import { lowerBound } from "../statistics/search_sorted.ts";
import type { ReadChunks } from "./canary_windows.ts";

/** What a thread read longer ago than this it had done with before: it waited for the next. */
const BUSY_NS = 1.5e6;
/** What canaries tell of longer delays counts anyway. */
const MAX_MEAN_NS = 0.3e6;

/** What comes on top of the time for which a thread is busy. */
export interface UsualDelays {
  /** How long canaries lay unread on average; longer ones are not taken for usual. */
  readonly meanNs: number;
  /** How late the machine's threads wake, which canaries need not tell. */
  readonly wakeNs: number;
}

/**
 * How long each chunk lay unread if it was there while its thread was busy with what it had read before:
 * with few streams in step, the end of one takes up to a millisecond the first times, and those of the
 * others wait meanwhile. The canaries written for them are seldom there at the same time.
 *
 * @param stamps the times of each thread's reads of such chunks, ascending
 * @returns milliseconds, no more than each can have lain unread
 */
export function busyWaitsMs(
  { workers, stampNs, atMostNs }: ReadChunks,
  stamps: ReadonlyMap<number, Float64Array>,
  { meanNs, wakeNs }: UsualDelays,
): Float64Array {
  const usualNs = Math.max(Math.min(meanNs, MAX_MEAN_NS), wakeNs);
  return stampNs.map((stamp, chunk) => {
    const sorted = stamps.get(workers[chunk] as number) as Float64Array;
    const before = sorted[lowerBound(sorted, stamp) - 1] ?? -Infinity;
    const busyNs = stamp - before <= BUSY_NS ? stamp - before : 0;
    return Math.min(busyNs + usualNs, atMostNs?.[chunk] ?? Infinity) / 1e6;
  });
}
