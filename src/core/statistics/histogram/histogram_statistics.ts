import type { HistogramEstimator } from "./histogram_estimator.ts";
import type { HistogramWindow } from "./histogram_window.ts";
import type { TimeWindow } from "../sample_window.ts";
import type { SliceBounds } from "../slice_bounds.ts";
import { upperBound } from "../search_sorted.ts";
import { SUMMARY_PERCENTILES } from "../summarize.ts";
import { downsampleWindow } from "./downsample_window.ts";
import { type PercentileBounds, percentileBounds } from "./percentile_bounds.ts";

/** Samples that percentiles are estimated from, at most: an hour and a half of the usual scrapes. */
const MAX_ROWS = 16_384;

/** Statistics of a histogram in a window. */
export interface HistogramStatistics {
  /** Observations; 0 if the histogram ended below its reference. */
  readonly count: number;
  /** undefined without observations, and where the server reports no sum. */
  readonly sum: number | undefined;
  readonly avg: number | undefined;
  /** Observations per second of the phase; undefined without observations. */
  readonly countRate: number | undefined;
  readonly sumRate: number | undefined;
  /** Estimates of {@linkcode SUMMARY_PERCENTILES}; undefined where nothing can be said. */
  readonly percentiles: readonly number[] | undefined;
  /** Between which values the exact percentiles lie; undefined after a restart of the server. */
  readonly percentileBounds: readonly PercentileBounds[] | undefined;
  /** Observations up to each bound; undefined if any of these numbers fell. */
  readonly buckets: readonly Bucket[] | undefined;
  readonly slices: readonly HistogramSlice[] | undefined;
}

/** Observations that were not above a bound. */
export type Bucket = readonly [bound: string, count: number];

/** Statistics of a histogram in a slice. */
export interface HistogramSlice extends SliceBounds {
  readonly count: number;
  readonly sum: number | undefined;
  /** 0 without observations. */
  readonly avg: number | undefined;
  /** undefined if any of its numbers fell. */
  readonly buckets: readonly Bucket[] | undefined;
}

/**
 * Statistics of a histogram between its first and its last sample.
 * @param timesNs times of the samples
 * @param phase what rates refer to; samples behind its end add to the totals
 * @param slices undefined for no slices
 */
export function histogramStatistics(
  window: HistogramWindow,
  timesNs: Float64Array,
  phase: TimeWindow,
  estimator: HistogramEstimator,
  slices: readonly SliceBounds[] | undefined,
): HistogramStatistics {
  const last = window.length - 1;
  const { count, sum, buckets } = difference(window, 0, last);
  if (!(count > 0)) {
    const zeros = buckets?.map(([bound]) => [bound, 0] as const);
    return { ...NOTHING, buckets: count < 0 ? undefined : zeros };
  }
  const total = sum === undefined ? undefined : Math.max(0, sum);
  const seconds = (phase.endNs - phase.startNs) / 1e9;
  const sampled = buckets === undefined ? undefined : downsampleWindow(window, MAX_ROWS);
  return {
    count,
    sum: total,
    avg: total === undefined ? undefined : total / count,
    countRate: seconds > 0 ? count / seconds : undefined,
    sumRate: seconds > 0 && total !== undefined ? total / seconds : undefined,
    percentiles: sampled && (estimator.estimate(sampled, SUMMARY_PERCENTILES) ?? undefined),
    percentileBounds: sampled && (percentileBounds(sampled, SUMMARY_PERCENTILES) ?? undefined),
    buckets,
    slices: slices?.flatMap((slice) => sliceOf(window, timesNs, slice)),
  };
}

const NOTHING: HistogramStatistics = {
  count: 0,
  sum: undefined,
  avg: undefined,
  countRate: undefined,
  sumRate: undefined,
  percentiles: undefined,
  percentileBounds: undefined,
  buckets: undefined,
  slices: undefined,
};

function sliceOf(
  window: HistogramWindow,
  timesNs: Float64Array,
  slice: SliceBounds,
): HistogramSlice[] {
  const from = rowAt(timesNs, slice.startNs);
  const { count, sum, buckets } = difference(window, from, rowAt(timesNs, slice.endNs));
  if (count < 0 || (sum !== undefined && sum < 0)) return [];
  const avg = sum === undefined ? undefined : count === 0 ? 0 : sum / count;
  return [{ ...slice, count, sum, avg, buckets }];
}

/** Returns the observations between two samples. */
function difference(
  { bounds, counts, sums, cumulative }: HistogramWindow,
  from: number,
  to: number,
): { count: number; sum: number | undefined; buckets: Bucket[] | undefined } {
  const width = bounds.length;
  const sum = (sums[to] as number) - (sums[from] as number);
  const buckets: Bucket[] = [];
  let fell = false;
  bounds.forEach((bound, index) => {
    const delta = (cumulative[to * width + index] as number) -
      (cumulative[from * width + index] as number);
    fell ||= delta < 0;
    buckets.push([bound, Math.trunc(delta)]);
  });
  return {
    count: Math.trunc((counts[to] as number) - (counts[from] as number)),
    sum: Number.isNaN(sum) ? undefined : sum,
    buckets: fell ? undefined : buckets,
  };
}

/** The last sample at or before a time, the first one for times before it. */
function rowAt(timesNs: Float64Array, timeNs: number): number {
  return Math.max(0, upperBound(timesNs, timeNs) - 1);
}
