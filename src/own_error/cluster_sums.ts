import { lowerBound, upperBound } from "../statistics/search_sorted.ts";
import type { WorkerDelays } from "./canary_delays.ts";
import type { ReadChunks } from "./canary_windows.ts";
import { clusterStarts } from "./cluster_sizes.ts";

/**
 * Of what is read together with m canaries, at most 3/m fared worse than each of them: if more had, some
 * of them would have, too, in 19 of 20 cases.
 */
const UNSEEN = 3;

/** What the delays of chunks that are read together come to at most, if canaries among them tell little. */
export class ClusterSums {
  readonly #mostNs: Float64Array | undefined;
  /** Which cluster each chunk is of; none where nothing is known of how late chunks can have been. */
  readonly #clusters: Uint32Array;
  /** The share of each that can have fared otherwise than its canaries. */
  readonly #unseen: number[] = [];
  /** How many such chunks are read together, on average over the chunks. */
  readonly #together: number;

  /**
   * @param stamps the times of each thread's reads, ascending
   * @param canaries those of every kind
   */
  constructor(
    { atMostNs, stampNs, workers }: ReadChunks,
    stamps: ReadonlyMap<number, Float64Array>,
    canaries: ReadonlyMap<number, WorkerDelays>,
  ) {
    this.#mostNs = atMostNs;
    this.#clusters = new Uint32Array(atMostNs?.length ?? 0);
    const known = new Map<number, { readonly first: number; readonly startNs: Float64Array }>();
    let squares = 0;
    for (const [worker, sorted] of stamps) {
      const readNs = canaries.get(worker)?.readNs ?? new Float64Array(0);
      const first = this.#unseen.length;
      const starts = clusterStarts(sorted);
      starts.forEach((start, at) => {
        const end = starts[at + 1] ?? sorted.length;
        const seen = upperBound(readNs, sorted[end - 1] as number) -
          lowerBound(readNs, sorted[start] as number);
        const unseen = Math.min(1, UNSEEN / seen);
        this.#unseen.push(unseen);
        squares += (end - start) ** 2 * unseen;
      });
      known.set(worker, {
        first,
        startNs: Float64Array.from(starts, (at) => sorted[at] as number),
      });
    }
    this.#together = squares / stampNs.length;
    if (atMostNs === undefined) return;
    for (let chunk = 0; chunk < stampNs.length; chunk++) {
      const own = known.get(workers[chunk] as number);
      if (own === undefined) continue;
      this.#clusters[chunk] = own.first + upperBound(own.startNs, stampNs[chunk] as number) - 1;
    }
  }

  /**
   * The most that what is beyond some delay comes to in one cluster, if no delay is longer than the
   * longest, nor than it can have been, where that is known.
   */
  greatest(longestNs: number, beyondNs: number): number {
    const usual = Math.max(0, longestNs - beyondNs) * this.#together;
    const mosts = this.#mostNs;
    if (mosts === undefined) return usual;
    const sums = new Float64Array(this.#unseen.length);
    for (let chunk = 0; chunk < mosts.length; chunk++) {
      const cluster = this.#clusters[chunk] as number;
      const most = Math.min(mosts[chunk] as number, longestNs);
      sums[cluster] = (sums[cluster] as number) + Math.max(0, most - beyondNs);
    }
    const greatest = sums.reduce(
      (most, sum, cluster) => Math.max(most, sum * (this.#unseen[cluster] as number)),
      0,
    );
    return Math.min(usual, greatest);
  }
}
