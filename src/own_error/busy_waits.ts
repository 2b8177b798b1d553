import { lowerBound } from "../statistics/search_sorted.ts";
import type { ReadChunks } from "./canary_windows.ts";

/** What a thread read longer ago than this it had done with before: it waited for the next. */
const BUSY_NS = 1.5e6;
/** Longer than this a thread does not take to wake; what canaries tell of longer delays counts anyway. */
const MAX_USUAL_NS = 0.3e6;

/**
 * How long each chunk lay unread if it was there while its thread was busy with what it had read before:
 * with few streams in step, the end of one takes up to a millisecond the first times, and those of the
 * others wait meanwhile. The canaries written for them are seldom there at the same time.
 *
 * @param stamps the times of each thread's reads of such chunks, ascending
 * @param usualNs how long canaries lay unread on average, which comes on top of that as far as it is short
 * @returns milliseconds, no more than each can have lain unread
 */
export function busyWaitsMs(
  { workers, stampNs, atMostNs }: ReadChunks,
  stamps: ReadonlyMap<number, Float64Array>,
  usualNs: number,
): Float64Array {
  return stampNs.map((stamp, chunk) => {
    const sorted = stamps.get(workers[chunk] as number) as Float64Array;
    const before = sorted[lowerBound(sorted, stamp) - 1] ?? -Infinity;
    const busyNs = stamp - before <= BUSY_NS ? stamp - before : 0;
    return Math.min(busyNs + Math.min(usualNs, MAX_USUAL_NS), atMostNs?.[chunk] ?? Infinity) / 1e6;
  });
}
