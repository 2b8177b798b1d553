import {
  closedBounds,
  hasFallen,
  type HistogramRow,
  lowerBound,
  readableRows,
  sumRounding,
} from "./histogram_rows.ts";
import type { HistogramWindow } from "./histogram_window.ts";

/** One bucket of a histogram and the intervals in which it grew. */
export interface IntervalBucket {
  /** -Infinity for a lowest bucket whose bound is not positive. */
  readonly lower: number;
  /** Infinity for the last bucket. */
  readonly upper: number;
  /** Observations in all intervals. */
  readonly total: number;
  /** Indices of the intervals in which it grew, ascending. */
  readonly intervals: Int32Array;
  /** By how much it grew in these. */
  readonly counts: Float64Array;
}

/** Counts and sums of a histogram between neighbouring samples. */
export interface HistogramIntervals {
  /** All buckets in ascending order, those without observations too. */
  readonly buckets: readonly IntervalBucket[];
  /** Sum of the observations of each interval; NaN if unknown. */
  readonly sums: Float64Array;
  /** Largest error of each sum by rounding. */
  readonly roundings: Float64Array;
  /** Observations in all buckets. */
  readonly count: number;
}

interface Interval {
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly rounding: number;
  /** Intervals between rows that went into this one. */
  readonly merged: number;
}

/** Minimum growth of a count: less is rounding of counts that are not whole numbers. */
const MIN_COUNT = 1e-6;
/** Intervals joined at most to make a sum possible; then it is given up. */
const MAX_MERGED = 8;

/**
 * Cuts a window into intervals whose sums are possible.
 *
 * A server may be read between the moment it adds to the sum and the moment it counts, so a sum may
 * belong to the neighbour's observations. If a sum is above what the bounds of the interval's
 * buckets allow, the interval is joined with the next one; if the sum is below, with the previous
 * one. A row in which anything decreased is a restart of the server, which counts from zero. Rows
 * that are not numbers are skipped; intervals without sums wait for the next sum. Without a bucket
 * `+Inf`, the count replaces it.
 */
export function histogramIntervals(window: HistogramWindow): HistogramIntervals {
  const bounds = closedBounds(window);
  const intervals = possibleIntervals(rawIntervals(window), bounds);
  const perBucket = bounds.map(() => ({ intervals: [] as number[], counts: [] as number[] }));
  intervals.forEach(({ buckets, counts }, interval) =>
    buckets.forEach((bucket, i) => {
      perBucket[bucket]?.intervals.push(interval);
      perBucket[bucket]?.counts.push(counts[i] as number);
    })
  );
  const buckets = perBucket.map(({ intervals, counts }, i) => ({
    lower: lowerBound(bounds, i),
    upper: bounds[i] as number,
    total: counts.reduce((sum, count) => sum + count, 0),
    intervals: Int32Array.from(intervals),
    counts: Float64Array.from(counts),
  }));
  return {
    buckets,
    sums: Float64Array.from(intervals, ({ sum }) => sum),
    roundings: Float64Array.from(intervals, ({ rounding }) => rounding),
    count: buckets.reduce((sum, { total }) => sum + total, 0),
  };
}

/** The difference of every readable row to the one before it. */
function* rawIntervals(window: HistogramWindow): Generator<Interval> {
  const rows = readableRows(window);
  const first = rows.next();
  if (first.done) return;
  let before: HistogramRow = first.value;
  // The last row without a sum since `before`: its observations wait for the next sum.
  let waiting: HistogramRow | undefined;
  for (const now of rows) {
    const latest = waiting ?? before;
    if (hasFallen(latest.cumulative, now.cumulative)) {
      if (waiting !== undefined) yield intervalBetween(before, waiting);
      before = { cumulative: new Float64Array(now.cumulative.length), sum: 0 };
      waiting = undefined;
    }
    if (Number.isNaN(now.sum) && !Number.isNaN(before.sum)) {
      waiting = now;
      continue;
    }
    yield intervalBetween(before, now);
    before = now;
    waiting = undefined;
  }
  if (waiting !== undefined) yield intervalBetween(before, waiting);
}

function intervalBetween(before: HistogramRow, now: HistogramRow): Interval {
  const { buckets, counts, total } = growth(before.cumulative, now.cumulative);
  return {
    buckets,
    counts,
    sum: now.sum - before.sum,
    rounding: sumRounding(before.sum, now.sum, total),
    merged: 1,
  };
}

function growth(
  before: Float64Array,
  now: Float64Array,
): { buckets: number[]; counts: number[]; total: number } {
  const buckets: number[] = [];
  const counts: number[] = [];
  // Cumulative counts that decrease from one bound to the next are raised to their predecessor.
  let below = 0;
  for (let bucket = 0; bucket < now.length; bucket++) {
    const grown = (now[bucket] as number) - (before[bucket] as number);
    if (!(grown - below > MIN_COUNT)) continue;
    buckets.push(bucket);
    counts.push(grown - below);
    below = grown;
  }
  return { buckets, counts, total: below };
}

function possibleIntervals(raw: Iterable<Interval>, bounds: readonly number[]): Interval[] {
  const done: Interval[] = [];
  let open: Interval | undefined;
  for (const interval of raw) {
    if (interval.buckets.length === 0 && !(Math.abs(interval.sum) > interval.rounding)) continue;
    open = settle(open === undefined ? interval : join(open, interval), done, bounds, false);
  }
  if (open !== undefined) settle(open, done, bounds, true);
  return done.filter(({ buckets }) => buckets.length > 0);
}

/**
 * Appends an interval, joined with the ones before it if that makes its sum possible.
 * @returns the interval if it has to be joined with the next one
 */
function settle(
  interval: Interval,
  done: Interval[],
  bounds: readonly number[],
  atEnd: boolean,
): Interval | undefined {
  for (let open = interval;;) {
    const misfit = sumMisfit(open, bounds);
    const last = done.at(-1);
    if (misfit !== 0 && open.merged < MAX_MERGED) {
      if (last !== undefined && (misfit < 0 || atEnd)) {
        done.pop();
        open = join(last, open);
        continue;
      }
      if (!atEnd) return open;
    }
    done.push(misfit === 0 ? open : { ...open, sum: NaN });
    return undefined;
  }
}

/** Below 0 if the sum is too low for the buckets, above 0 if it is too high; 0 if it is unknown. */
function sumMisfit(
  { buckets, counts, sum, rounding }: Interval,
  bounds: readonly number[],
): number {
  if (Number.isNaN(sum)) return 0;
  let least = 0;
  let most = 0;
  buckets.forEach((bucket, i) => {
    least += (counts[i] as number) * lowerBound(bounds, bucket);
    most += (counts[i] as number) * (bounds[bucket] as number);
  });
  return sum < least - rounding ? -1 : sum > most + rounding ? 1 : 0;
}

function join(first: Interval, second: Interval): Interval {
  const grown = new Map(first.buckets.map((bucket, i) => [bucket, first.counts[i] as number]));
  second.buckets.forEach((bucket, i) =>
    grown.set(bucket, (grown.get(bucket) ?? 0) + (second.counts[i] as number))
  );
  const buckets = [...grown.keys()].sort((a, b) => a - b);
  return {
    buckets,
    counts: buckets.map((bucket) => grown.get(bucket) as number),
    sum: first.sum + second.sum,
    rounding: first.rounding + second.rounding,
    merged: first.merged + second.merged,
  };
}
