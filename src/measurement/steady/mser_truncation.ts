/** Values of a batch (White's MSER-5). */
const BATCH = 5;
/** Most of the values that may be truncated. */
const MAX_SHARE = 0.5;

/**
 * Returns the number of values at the beginning of a series that do not belong to its steady state,
 * by MSER-5. From the means of batches of five, it truncates those without which the mean of the
 * rest has the smallest standard error (White, "An effective truncation heuristic for bias
 * reduction in simulation output", 1997). At most half of the values.
 * @param values in order of time
 */
export function mserTruncation(values: Float64Array): number {
  const batches = Math.floor(values.length / BATCH);
  // From the end, so that each batch is looked at once.
  let [count, mean, squares] = [0, 0, 0];
  let [best, least] = [0, Infinity];
  for (let batch = batches - 1; batch >= 0; batch--) {
    let sum = 0;
    for (let at = batch * BATCH; at < (batch + 1) * BATCH; at++) sum += values[at] as number;
    const value = sum / BATCH;
    count++;
    const distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
    if (batch > batches * MAX_SHARE) continue;
    const error = squares / count ** 2;
    // Of equal ones, the earliest truncation keeps most.
    if (error <= least) [best, least] = [batch, error];
  }
  return best * BATCH;
}
