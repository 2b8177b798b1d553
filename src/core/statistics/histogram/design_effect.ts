import type { HistogramIntervals } from "./histogram_intervals.ts";

/**
 * Estimates how many observations come together with one value.
 *
 * All requests of a batch get their next token in the same step, so a server observes one latency
 * many times over. Observations of one interval are then alike, and the mean of n of them varies
 * like that of n / size independent ones. The size shows in the numbers per bucket: between
 * neighbouring intervals the share of each bucket differs by as many times more (squared) than that
 * of independent observations would, which is known (the design effect of cluster sampling).
 *
 * @returns at least 1; 1 also where one bucket holds all and nothing can be said
 */
export function estimateDesignEffect({ buckets, sums, count }: HistogramIntervals): number {
  const length = sums.length;
  const sizes = new Float64Array(length);
  let concentration = 0;
  for (const { intervals, counts, total } of buckets) {
    concentration += (total / count) ** 2;
    for (let j = 0; j < intervals.length; j++) {
      const interval = intervals[j] as number;
      sizes[interval] = (sizes[interval] as number) + (counts[j] as number);
    }
  }
  const expected = 1 - concentration;
  if (length < MIN_INTERVALS || !(expected > MIN_VARIATION)) return 1;
  // Squared difference of the shares in interval i and i + 1, summed over the buckets.
  const differences = new Float64Array(length - 1);
  const shares = new Float64Array(length);
  for (const { intervals, counts } of buckets) {
    for (let j = 0; j < intervals.length; j++) {
      const interval = intervals[j] as number;
      shares[interval] = (counts[j] as number) / (sizes[interval] as number);
    }
    // Pairs of which the second grew, and pairs of which only the first did.
    for (let j = 0; j < intervals.length; j++) {
      const interval = intervals[j] as number;
      const share = shares[interval] as number;
      if (interval > 0) {
        addSquare(differences, interval - 1, share - (shares[interval - 1] as number));
      }
      if (interval + 1 < length && intervals[j + 1] !== interval + 1) {
        addSquare(differences, interval, share);
      }
    }
    for (let j = 0; j < intervals.length; j++) shares[intervals[j] as number] = 0;
  }
  let sum = 0;
  let squares = 0;
  differences.forEach((difference, i) => {
    const ratio = difference / (1 / (sizes[i] as number) + 1 / (sizes[i + 1] as number)) / expected;
    sum += ratio;
    squares += ratio * ratio;
  });
  const mean = sum / differences.length;
  const error = Math.sqrt(
    Math.max(0, squares / differences.length - mean * mean) / differences.length,
  );
  return Math.max(1, mean - error);
}

const MIN_INTERVALS = 4;
/** Below this chance that two observations differ in bucket, the shares say nothing. */
const MIN_VARIATION = 1e-3;

function addSquare(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] as number) + value * value;
}
