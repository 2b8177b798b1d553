import type { Shadow } from "../canary/canary_kind.ts";
import type { WorkerDelays } from "./canary_delays.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import { merged, nearestDelays } from "./nearest_canaries.ts";

/** Upper limit of a chunk's read delay, as a multiple of the read delay of the canaries nearest to it. */
const FACTOR: Readonly<Record<Shadow, number>> = {
  first: 2,
  second: 2,
  // The runtime serves sockets that always have something to read last.
  last: 4,
};

/** Added to that limit: few canaries are read when many requests start at once, or for the first time. */
const MARGIN_NS = 0.5e6;

/** Chunks whose read delays are to be bounded. */
export interface ReadChunks {
  /** Load worker that read each chunk. */
  readonly workers: Float64Array;
  /** Time of the read, in ns on the run's clock. */
  readonly stampNs: Float64Array;
  /** Certain limit of each chunk's read delay, in ns; infinite if there is none. */
  readonly atMostNs: Float64Array;
}

/** Upper bounds of the read delay of each chunk, in ms: the time from the server's write to the read. */
export interface ReadDelays {
  /** By the mean of the canaries near each chunk; for averages of many chunks. */
  readonly meanMs: Float64Array;
  /** By the latest of the canaries near each chunk; for percentiles, and averages of few chunks. */
  readonly latestMs: Float64Array;
}

/**
 * Bounds the read delays of chunks by one rule: `FACTOR` times the delay of the canaries read nearest to
 * the chunk on its thread, plus `MARGIN_NS`, and never more than the chunk's certain limit. Last chunks
 * also use the canaries that were written when replies ended. Where no canary was read near the chunk,
 * only the certain limit is known.
 */
export function readDelays(
  { workers, stampNs, atMostNs }: ReadChunks,
  kind: Shadow,
  known: Pick<DelaysByKind, "all" | "last" | "isUnwatched">,
): ReadDelays {
  // A worker without canaries of its own is assumed to behave like the others.
  let others: WorkerDelays | undefined;
  const meanMs = atMostNs.map((ns) => ns / 1e6);
  const latestMs = meanMs.slice();
  for (let chunk = 0; chunk < stampNs.length; chunk++) {
    const [worker, stamp] = [workers[chunk] as number, stampNs[chunk] as number];
    if (known.isUnwatched(worker, stamp)) continue;
    const all = known.all.get(worker) ?? (others ??= merged(known.all));
    let { mean, latest } = meanAndLatest(nearestDelays(all, stamp));
    const ends = kind === "last" ? known.last.get(worker) : undefined;
    if (ends !== undefined) {
      const ofEnds = meanAndLatest(nearestDelays(ends, stamp));
      mean = Math.max(mean, ofEnds.mean);
      latest = Math.max(latest, ofEnds.latest);
    }
    const atMost = atMostNs[chunk] as number;
    const limitMs = (ns: number): number => Math.min(atMost, FACTOR[kind] * ns + MARGIN_NS) / 1e6;
    meanMs[chunk] = limitMs(mean);
    latestMs[chunk] = limitMs(latest);
  }
  return { meanMs, latestMs };
}

function meanAndLatest(delayNs: Float64Array): { mean: number; latest: number } {
  let [sum, latest] = [0, 0];
  for (const ns of delayNs) {
    sum += ns;
    if (ns > latest) latest = ns;
  }
  return { mean: sum / delayNs.length, latest };
}
