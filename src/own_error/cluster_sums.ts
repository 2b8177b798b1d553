import { upperBound } from "../statistics/search_sorted.ts";
import type { ReadChunks } from "./canary_windows.ts";
import { clusterStarts } from "./cluster_sizes.ts";

/** What the delays of chunks that are read together come to at most. */
export class ClusterSums {
  readonly #mostNs: Float64Array | undefined;
  /** Which cluster each chunk is of. */
  readonly #clusters: Uint32Array;
  #count = 0;

  /** @param stamps the times of each thread's reads, ascending */
  constructor(
    { atMostNs, stampNs, workers }: ReadChunks,
    stamps: ReadonlyMap<number, Float64Array>,
  ) {
    this.#mostNs = atMostNs;
    this.#clusters = new Uint32Array(atMostNs === undefined ? 0 : stampNs.length);
    if (atMostNs === undefined) return;
    const starts = new Map<number, { readonly first: number; readonly startNs: Float64Array }>();
    for (const [worker, sorted] of stamps) {
      const startNs = Float64Array.from(clusterStarts(sorted), (at) => sorted[at] as number);
      starts.set(worker, { first: this.#count, startNs });
      this.#count += startNs.length;
    }
    for (let chunk = 0; chunk < stampNs.length; chunk++) {
      const own = starts.get(workers[chunk] as number);
      if (own === undefined) continue;
      this.#clusters[chunk] = own.first + upperBound(own.startNs, stampNs[chunk] as number) - 1;
    }
  }

  /**
   * The most that what is beyond some delay comes to in one cluster, if no delay is longer than the
   * longest; infinite where nothing is known of how late chunks can have been.
   */
  greatest(longestNs: number, beyondNs: number): number {
    const mosts = this.#mostNs;
    if (mosts === undefined) return Infinity;
    const sums = new Float64Array(this.#count);
    for (let chunk = 0; chunk < mosts.length; chunk++) {
      const cluster = this.#clusters[chunk] as number;
      const most = Math.min(mosts[chunk] as number, longestNs);
      sums[cluster] = (sums[cluster] as number) + Math.max(0, most - beyondNs);
    }
    return sums.reduce((most, sum) => Math.max(most, sum), 0);
  }
}
