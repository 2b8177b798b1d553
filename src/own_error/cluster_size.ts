/** What is read within so little time was late for the same reason. */
const CLUSTER_GAP_NS = 5e6;

/**
 * How many of a thread's reads come together, on average over the reads: 1 where each comes by
 * itself. One standstill of a thread delays all that were to be read in it, so reads that come
 * together tell of delays no more than one does.
 *
 * @param threads the times of each thread's reads, in any order
 */
export function clusterSize(threads: Iterable<Float64Array>): number {
  let squares = 0;
  let count = 0;
  for (const times of threads) {
    const sorted = times.slice().sort();
    let size = 0;
    sorted.forEach((timeNs, i) => {
      if (i > 0 && timeNs - (sorted[i - 1] as number) > CLUSTER_GAP_NS) {
        squares += size * size;
        size = 0;
      }
      size++;
    });
    squares += size * size;
    count += sorted.length;
  }
  return count === 0 ? 1 : squares / count;
}
