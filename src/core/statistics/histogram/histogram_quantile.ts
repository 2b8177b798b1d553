/** Relative difference below which two cumulative counts are the same but for rounding. */
const SMALL_DELTA = 1e-12;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

/**
 * The quantile of a cumulative histogram by linear interpolation inside the bucket that holds it:
 * Prometheus' `histogram_quantile`, equal to it within rounding.
 *
 * The lowest bucket starts at 0 if its bound is positive and is its bound otherwise; whatever lies
 * above the last finite bound is that bound. Counts that decrease are raised to their predecessor.
 * Other than Prometheus, which divides 0 by 0 there, `q = 0` gives the lower end of the first bucket
 * that holds anything.
 *
 * @param upperBounds ascending, Infinity last
 * @param cumulative observations at or below each bound
 * @param q from 0 to 1
 * @returns NaN without observations, with one bucket only, or without a last bound of Infinity
 */
export function histogramQuantile(
  upperBounds: ArrayLike<number>,
  cumulative: ArrayLike<number>,
  q: number,
): number {
  const { bounds, counts } = monotonicBuckets(upperBounds, cumulative);
  const last = bounds.length - 1;
  if (last < 1 || bounds[last] !== Infinity) return NaN;
  const observations = counts[last] as number;
  if (!(observations > 0) || Number.isNaN(q)) return NaN;
  let rank = q * observations;
  let bucket = 0;
  while (bucket < last && ((counts[bucket] as number) < rank || counts[bucket] === 0)) bucket++;
  if (bucket === last) return bounds[last - 1] as number;
  const end = bounds[bucket] as number;
  let count = counts[bucket] as number;
  if (bucket === 0) return end <= 0 ? end : end * (rank / count);
  const start = bounds[bucket - 1] as number;
  const below = counts[bucket - 1] as number;
  count -= below;
  rank -= below;
  // Rounding must not lead out of the bucket.
  return Math.min(end, start + (end - start) * (rank / count));
}

/** Buckets with equal bounds added up, and counts that never decrease. */
function monotonicBuckets(
  upperBounds: ArrayLike<number>,
  cumulative: ArrayLike<number>,
): { bounds: number[]; counts: number[] } {
  const bounds: number[] = [];
  const counts: number[] = [];
  for (let i = 0; i < upperBounds.length; i++) {
    const bound = upperBounds[i] as number;
    const count = cumulative[i] as number;
    if (bound === bounds.at(-1)) {
      counts[counts.length - 1] = (counts.at(-1) as number) + count;
    } else {
      bounds.push(bound);
      counts.push(count);
    }
  }
  for (let i = 1; i < counts.length; i++) {
    const previous = counts[i - 1] as number;
    const count = counts[i] as number;
    if (count < previous || almostEqual(previous, count)) counts[i] = previous;
  }
  return { bounds, counts };
}

function almostEqual(a: number, b: number): boolean {
  if (a === b) return true;
  const difference = Math.abs(a - b);
  const size = Math.abs(a) + Math.abs(b);
  if (a === 0 || b === 0 || size < SMALLEST_NORMAL) {
    return difference < SMALL_DELTA * SMALLEST_NORMAL;
  }
  return difference / Math.min(size, Number.MAX_VALUE) < SMALL_DELTA;
}
