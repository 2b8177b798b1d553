/** What is read within so little time was late for the same reason. */
const CLUSTER_GAP_NS = 5e6;
/** What comes without a pause is no one cluster for ever: no longer than most standstills. */
const CLUSTER_SPAN_NS = 100e6;

/** How many of a thread's reads come together. */
export interface ClusterSizes {
  /** On average over the reads: 1 where each comes by itself. */
  readonly mean: number;
  /** At most. */
  readonly largest: number;
  /** How many such groups there are. */
  readonly groups: number;
}

/**
 * One standstill of a thread delays all that were to be read in it, so reads that come together tell
 * of delays no more than one does.
 *
 * @param threads the times of each thread's reads, in any order
 */
export function clusterSizes(threads: Iterable<Float64Array>): ClusterSizes {
  let squares = 0;
  let count = 0;
  let largest = 1;
  let groups = 0;
  for (const times of threads) {
    const sorted = times.slice().sort();
    const starts = clusterStarts(sorted);
    starts.forEach((start, at) => {
      const size = (starts[at + 1] ?? sorted.length) - start;
      squares += size * size;
      largest = Math.max(largest, size);
    });
    count += sorted.length;
    groups += starts.length;
  }
  return { mean: count === 0 ? 1 : squares / count, largest, groups };
}

/** The first place of each cluster among the sorted times of one thread's reads. */
export function clusterStarts(sorted: Float64Array): number[] {
  const starts: number[] = [];
  let firstNs = -Infinity;
  sorted.forEach((timeNs, at) => {
    const isApart = timeNs - (sorted[at - 1] ?? -Infinity) > CLUSTER_GAP_NS;
    if (!isApart && timeNs - firstNs <= CLUSTER_SPAN_NS) return;
    starts.push(at);
    firstNs = timeNs;
  });
  return starts;
}
