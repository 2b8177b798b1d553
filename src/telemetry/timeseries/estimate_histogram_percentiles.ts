import type { HistogramEstimatorName } from "../../core/statistics/histogram/histogram_estimator.ts";
import type { HistogramTotals } from "../../core/statistics/histogram/histogram_totals.ts";
import type { HistogramWindow } from "../../core/statistics/histogram/histogram_window.ts";
import { estimateInterpolation } from "../../core/statistics/histogram/interpolation_estimator.ts";
import { INTERVAL_ESTIMATOR } from "../../core/statistics/histogram/interval_estimator.ts";
import {
  type PercentileBounds,
  percentileBounds,
} from "../../core/statistics/histogram/percentile_bounds.ts";
import {
  type BucketMoments,
  estimatePolynomial,
} from "../../core/statistics/histogram/polynomial_estimator.ts";
import { parseBucketBound } from "../prometheus/bucket_bound.ts";

/** A histogram as scraped, or the difference of two such. */
export interface PlainHistogram {
  /** Upper bound and number of observations at or below it, in any order. */
  buckets: [le: string, cumulativeCount: number][];
  /** Sum of the observations; NaN if unknown. */
  sum: number;
  /** Number of observations; NaN if unknown. */
  count: number;
  /** Mean and variance inside single buckets, by upper bound, from `count` observations. */
  learned?: Record<string, { mean: number; variance: number | null; count: number }>;
}

/**
 * Estimates percentiles of the observations behind a histogram.
 *
 * @example
 * ```ts
 * import { estimateHistogramPercentiles } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * const histogram = {
 *   buckets: [["0.1", 4], ["1", 9], ["+Inf", 9]] as [string, number][],
 *   sum: 2.85,
 *   count: 9,
 * };
 * assert.deepEqual(estimateHistogramPercentiles(histogram, [50], "interpolation"), [0.19]);
 * ```
 *
 * @param percentiles from 0 to 100
 * @param method estimator. The default here, `polynomial`, uses the sum and `learned`. The default of
 * runs, `interval`, ignores `learned` and relies on the sums of many scrapes, while a plain histogram
 * has only one. Prometheus' `histogram_quantile`, `interpolation`, uses only the counts.
 * @returns null if the histogram says nothing about percentiles
 * @throws {RangeError} if a percentile is not within 0 and 100, or a bound is no number
 */
export function estimateHistogramPercentiles(
  histogram: PlainHistogram,
  percentiles: number[],
  method: HistogramEstimatorName = "polynomial",
): number[] | null {
  checkPercentiles(percentiles);
  const totals = totalsOf(histogram);
  if (method === "interpolation") return estimateInterpolation(totals, percentiles);
  if (method === "interval") return INTERVAL_ESTIMATOR.estimate(windowOf(totals), percentiles);
  const learned = new Map<number, BucketMoments>();
  for (const [le, moments] of Object.entries(histogram.learned ?? {})) {
    const index = totals.upperBounds.indexOf(numericBound(le));
    if (index !== -1) learned.set(index, moments);
  }
  return estimatePolynomial(totals, learned, percentiles);
}

/**
 * Bounds between which the percentiles of the observations behind a histogram lie: a certainty, not
 * an estimate. They are those of its buckets, and tighter where the sum says more.
 *
 * @example
 * ```ts
 * import { boundHistogramPercentiles } from "@inferometer/inferometer";
 * import assert from "node:assert/strict";
 * const buckets = [["0.1", 4], ["1", 9], ["+Inf", 9]] as [string, number][];
 * const histogram = { buckets, sum: NaN, count: 9 };
 * assert.deepEqual(boundHistogramPercentiles(histogram, [25, 99]), [[0, 0.1], [0.1, 1]]);
 * ```
 *
 * @param percentiles from 0 to 100, by linear interpolation between observations
 * @returns infinite bounds where nothing limits a percentile; null without observations
 * @throws {RangeError} if a percentile is not within 0 and 100, or a bound is no number
 */
export function boundHistogramPercentiles(
  histogram: PlainHistogram,
  percentiles: number[],
): PercentileBounds[] | null {
  checkPercentiles(percentiles);
  return percentileBounds(windowOf(totalsOf(histogram)), percentiles);
}

function checkPercentiles(percentiles: readonly number[]): void {
  for (const p of percentiles) {
    if (!(p >= 0 && p <= 100)) {
      throw new RangeError(`Percentile must be between 0 and 100: got ${p}`);
    }
  }
}

/** From nothing to the totals. */
function windowOf({ upperBounds, cumulative, sum, count }: HistogramTotals): HistogramWindow {
  const width = upperBounds.length;
  const rows = new Float64Array(2 * width);
  rows.set(cumulative, width);
  return {
    bounds: Array.from(upperBounds, String),
    upperBounds,
    length: 2,
    cumulative: rows,
    sums: Float64Array.of(0, sum),
    counts: Float64Array.of(0, count),
  };
}

function totalsOf({ buckets, sum, count }: PlainHistogram): HistogramTotals {
  // Several spellings of one bound are one bucket, whose count the largest is.
  const byBound = new Map<number, number>();
  for (const [le, cumulative] of buckets) {
    const bound = numericBound(le);
    byBound.set(bound, Math.max(cumulative, byBound.get(bound) ?? cumulative));
  }
  // Nothing lies below all numbers: that bucket only says something if it is not empty.
  if (byBound.get(-Infinity) === 0) byBound.delete(-Infinity);
  const ascending = [...byBound].sort(([a], [b]) => a < b ? -1 : 1);
  const cumulative = Float64Array.from(ascending, ([, observations]) => observations);
  return {
    upperBounds: Float64Array.from(ascending, ([bound]) => bound),
    cumulative,
    sum,
    count: Number.isNaN(count) ? cumulative.at(-1) ?? 0 : count,
  };
}

function numericBound(le: string): number {
  const bound = parseBucketBound(le);
  if (bound === undefined) {
    throw new RangeError(`Upper bound of a bucket must be a number: got "${le}"`);
  }
  return bound;
}
