import { lowerBound } from "../../core/statistics/search_sorted.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** Canaries that stand for a chunk. */
const NEAREST = 15;
/** Distance in nanoseconds beyond which fewer canaries are used if others are farther off. */
const FAR_NS = 100e6;
const FEWEST = 4;

/** Delays of the canaries that were read nearest to a time. */
export function nearestDelays({ readNs, delayNs }: WorkerDelays, stampNs: number): Float64Array {
  const { start, end } = nearest(readNs, stampNs);
  return delayNs.subarray(start, end);
}

/**
 * The canaries that were read nearest to a time: up to {@linkcode NEAREST}, as far as they are not too
 * far off, and at least {@linkcode FEWEST}.
 */
function nearest(readNs: Float64Array, stampNs: number): { start: number; end: number } {
  let start = lowerBound(readNs, stampNs);
  let end = start;
  while (end - start < Math.min(NEAREST, readNs.length)) {
    const before = start > 0 ? stampNs - (readNs[start - 1] as number) : Infinity;
    const after = end < readNs.length ? (readNs[end] as number) - stampNs : Infinity;
    if (end - start >= FEWEST && Math.min(before, after) > FAR_NS) break;
    if (before <= after) start--;
    else end++;
  }
  return { start, end };
}

/** The canaries of all workers, as if they were of one. */
export function merged(all: ReadonlyMap<number, WorkerDelays>): WorkerDelays {
  const rows = [...all.values()].flatMap(({ readNs, delayNs }) =>
    [...readNs].map((read, i) => [read, delayNs[i] as number] as const)
  ).sort(([a], [b]) => a - b);
  return {
    readNs: Float64Array.from(rows, ([read]) => read),
    delayNs: Float64Array.from(rows, ([, delay]) => delay),
  };
}
