import { countsFell, coveredWindow, sumFell } from "./covered_window.ts";
import {
  closedBounds,
  type HistogramRow,
  lowerBound,
  readableRows,
  sumRounding,
} from "./histogram_rows.ts";
import type { HistogramWindow } from "./histogram_window.ts";

/**
 * The range in which a percentile certainly lies, both included; infinite where nothing limits
 * it.
 */
export type PercentileBounds = readonly [lower: number, upper: number];

/**
 * Bounds of the exact percentiles of what a histogram counted: certain, not estimated.
 *
 * A percentile by linear interpolation lies between two neighbouring observations in ascending
 * order, and each of these in its bucket. The sum limits them further: if some observations of a
 * bucket are at least x, and all others at least the lower ends of their buckets, x cannot be
 * larger than the sum allows; likewise downwards. The sum is used only if those of all intervals
 * are possible: where one is not, a scrape came between the sum and the count of an observation.
 *
 * Observations are not negative if the first bound is positive and the sum never fell.
 *
 * @param percentiles from 0 to 100
 * @returns null if nothing was counted, or the counts are unknown, as after a restart of the server
 */
export function percentileBounds(
  window: HistogramWindow,
  percentiles: readonly number[],
): PercentileBounds[] | null {
  const covered = coveredWindow(window);
  if (covered === null || !covered.isExact) return null;
  const counted = countedBuckets(covered.window, mayBeNegative(window));
  if (counted === null) return null;
  const { counts, length } = covered.window;
  const all = counted.cumulative.at(-1) as number;
  // A scrape may come between a bucket and the count, too.
  const told = (counts[length - 1] as number) - (counts[0] as number);
  const [least, most] = told > 0 ? [Math.min(all, told), Math.max(all, told)] : [all, all];
  return percentiles.map((p) => {
    const rankOf = (observations: number) => Math.max(0, observations - 1) * (p / 100);
    const lower = lowestAt(counted, Math.floor(rankOf(least)));
    const upper = highestAt(counted, Math.ceil(rankOf(most)));
    // Rounding may cross the bounds of what is one value.
    return [Math.min(lower, upper), Math.max(lower, upper)];
  });
}

/**
 * Moves estimates into their bounds, which keeps them in order: bounds rise with the percentile.
 */
export function withinBounds(
  estimates: readonly number[],
  bounds: readonly PercentileBounds[],
): number[] {
  return estimates.map((estimate, i) => {
    const [lower, upper] = bounds[i] as PercentileBounds;
    return Math.min(upper, Math.max(lower, estimate));
  });
}

/** The observations of a window in their buckets. */
interface CountedBuckets {
  /** Ends of each bucket. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Observations in and below each bucket. */
  readonly cumulative: readonly number[];
  /** NaN if unknown. */
  readonly sum: number;
  /** Sums if all observations were at the lower, or upper, ends of their buckets. */
  readonly leastSum: number;
  readonly mostSum: number;
  /** By how much the sum and such a sum of ends may be off from each other. */
  readonly roundingWith: (ends: number) => number;
}

/** A sum that falls while no count does is that of negative observations, or of a restart. */
function mayBeNegative(window: HistogramWindow): boolean {
  for (let row = 1; row < window.length; row++) {
    if (sumFell(window, row - 1, row) && !countsFell(window, row - 1, row)) return true;
  }
  return false;
}

function countedBuckets(window: HistogramWindow, isSigned: boolean): CountedBuckets | null {
  const upper = closedBounds(window);
  const lower = upper.map((_, bucket) => lowerBound(upper, bucket));
  if (isSigned) lower[0] = -Infinity;
  let first: HistogramRow | undefined;
  let last: HistogramRow | undefined;
  let withSum: HistogramRow | undefined;
  let sumIsPossible = true;
  for (const now of readableRows(window)) {
    if (!Number.isNaN(now.sum)) {
      if (withSum !== undefined) sumIsPossible &&= isPossible(between(withSum, now, lower, upper));
      withSum = now;
    }
    first ??= now;
    last = now;
  }
  if (first === undefined || last === undefined) return null;
  const counted = between(first, last, lower, upper);
  if (!((counted.cumulative.at(-1) as number) > 0)) return null;
  return sumIsPossible && isPossible(counted) ? counted : { ...counted, sum: NaN };
}

function between(
  before: HistogramRow,
  now: HistogramRow,
  lower: readonly number[],
  upper: readonly number[],
): CountedBuckets {
  const cumulative: number[] = [];
  let [below, leastSum, mostSum] = [0, 0, 0];
  for (let bucket = 0; bucket < upper.length; bucket++) {
    const grown = (now.cumulative[bucket] as number) - (before.cumulative[bucket] as number);
    // Counts that decrease from one bound to the next are raised to their predecessor.
    const count = Math.max(0, grown - below);
    below += count;
    cumulative.push(below);
    if (count === 0) continue;
    leastSum += count * (lower[bucket] as number);
    mostSum += count * (upper[bucket] as number);
  }
  // Ends of buckets are summed up here, observations by the server.
  const largest = Math.max(Math.abs(before.sum), Math.abs(now.sum));
  const roundingWith = (ends: number) =>
    sumRounding(largest, Number.isFinite(ends) ? ends : 0, below + upper.length);
  return {
    lower,
    upper,
    cumulative,
    sum: now.sum - before.sum,
    leastSum,
    mostSum,
    roundingWith,
  };
}

function isPossible({ sum, leastSum, mostSum, roundingWith }: CountedBuckets): boolean {
  return Number.isNaN(sum) ||
    (sum >= leastSum - roundingWith(leastSum) && sum <= mostSum + roundingWith(mostSum));
}

/** The bucket of the observation of a rank, counted from 0 in ascending order. */
function bucketOf({ cumulative }: CountedBuckets, rank: number): number {
  const bucket = cumulative.findIndex((count) => count > rank);
  return bucket === -1 ? cumulative.length - 1 : bucket;
}

/** Returns the upper bound of the observation of a rank. */
function highestAt(counted: CountedBuckets, rank: number): number {
  const bucket = bucketOf(counted, rank);
  const upper = counted.upper[bucket] as number;
  // It and those above it in its bucket share what the sum leaves above the lower ends.
  const sharers = Math.max(1, (counted.cumulative[bucket] as number) - rank);
  const { sum, leastSum, roundingWith } = counted;
  const excess = Math.max(0, sum - leastSum) + roundingWith(leastSum);
  const limit = (counted.lower[bucket] as number) + excess / sharers;
  return limit < upper ? limit : upper;
}

/** Returns the lower bound of the observation of a rank. */
function lowestAt(counted: CountedBuckets, rank: number): number {
  const bucket = bucketOf(counted, rank);
  const { cumulative, sum, mostSum, roundingWith } = counted;
  const lower = counted.lower[bucket] as number;
  const upper = counted.upper[bucket] as number;
  const below = cumulative[bucket - 1] ?? 0;
  const sharers = Math.max(1, rank + 1 - below);
  if (upper < Infinity) {
    const limit = upper - (Math.max(0, mostSum - sum) + roundingWith(mostSum)) / sharers;
    return limit > lower ? limit : lower;
  }
  // Without an end, any one above it could make up for all that is missing.
  if (rank + 1 < (cumulative[bucket] as number)) return lower;
  let others = 0;
  for (let i = 0; i < bucket; i++) {
    const count = (cumulative[i] as number) - (cumulative[i - 1] ?? 0);
    if (count > 0) others += count * (counted.upper[i] as number);
  }
  const limit = (sum - others - roundingWith(others)) / sharers;
  return limit > lower ? limit : lower;
}
