import type { WorkerDelays } from "./canary_delays.ts";
import { latestMedianNs, percentileOfKnown } from "./percentile_of_known.ts";

/**
 * Where half of its canaries lie unread for so long, a thread has more to read than it can; or half of
 * those that stand for last chunks, where replies come in bursts between which there is nothing to read.
 */
const STARVED_NS = 1e6;
/**
 * So many times as long as canaries last chunks can then lie unread, by the streams of a thread.
 * Measured in the mean: docs/accuracy.md, "Last chunks"; first chunks 0.7 to 1.5 times.
 */
const FACTORS = [[100, 6], [32, 3]] as const;

/** Times of requests, a row each; NaN where there is none. */
export interface RequestTimes {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly workers: Float64Array;
  /** Undefined where no reply comes in pieces. */
  readonly ttftMs: Float64Array | undefined;
  /** The time between their tokens; undefined where none has two. */
  readonly itlMs: Float64Array | undefined;
}

/**
 * How many times as long as canaries the last chunks of replies can lie unread. The runtime takes up
 * last what it put off, and streams that always have something to read are put off most; canaries
 * and first chunks come on connections that were silent before.
 * @param canaries of every kind
 * @param lastCanaries those that stand for last chunks
 */
export function lastFactor(
  canaries: ReadonlyMap<number, WorkerDelays>,
  lastCanaries: ReadonlyMap<number, WorkerDelays>,
  requests: RequestTimes,
): number {
  const delayNs = latestMedianNs(canaries);
  if (!(Math.max(delayNs, latestMedianNs(lastCanaries)) >= STARVED_NS)) return 1;
  if (requests.ttftMs?.some((ms) => !Number.isNaN(ms)) !== true) return 1;
  // Streams that bring a chunk less often have nothing to read most of the time: their last chunks lay
  // unread no longer than canaries, in each of 60 such runs.
  if (delayNs < percentileOfKnown(requests.itlMs, 50) * 1e6) return 1;
  const streams = streamsPerThread(requests);
  return FACTORS.find(([atLeast]) => streams >= atLeast)?.[1] ?? 1;
}

/** How many requests a thread had in flight, on average. */
function streamsPerThread({ startNs, endNs, workers }: RequestTimes): number {
  let [fromNs, toNs, sumNs] = [Infinity, -Infinity, 0];
  const threads = new Set<number>();
  for (let row = 0; row < startNs.length; row++) {
    const [start, end] = [startNs[row] as number, endNs[row] as number];
    // Neither where it failed.
    if (Number.isNaN(end - start)) continue;
    threads.add(workers[row] as number);
    fromNs = Math.min(fromNs, start);
    toNs = Math.max(toNs, end);
    sumNs += end - start;
  }
  return sumNs / (toNs - fromNs) / threads.size;
}
