import type { HistogramEstimator } from "./histogram_estimator.ts";
import { histogramQuantile } from "./histogram_quantile.ts";
import { type HistogramTotals, histogramTotals } from "./histogram_totals.ts";

/** Linear interpolation inside the bucket that holds the percentile, as Prometheus does. */
export const INTERPOLATION_ESTIMATOR: HistogramEstimator = {
  name: "interpolation",
  description: "Prometheus' histogram_quantile: linear inside the bucket, no sums used",
  estimate(window, percentiles) {
    const totals = histogramTotals(window);
    return totals === null ? null : estimateInterpolation(totals, percentiles);
  },
};

/**
 * Percentiles of a histogram by {@linkcode histogramQuantile}.
 *
 * Without a bucket of bound Infinity the count replaces it: observations beyond the last bucket are
 * above the last bound.
 *
 * @param percentiles from 0 to 100
 * @returns null where Prometheus has none: no observations, no finite bound
 */
export function estimateInterpolation(
  { upperBounds, cumulative, count }: HistogramTotals,
  percentiles: readonly number[],
): number[] | null {
  const last = upperBounds.length - 1;
  if (last < 0) return null;
  let bounds: ArrayLike<number> = upperBounds;
  let counts: ArrayLike<number> = cumulative;
  if (upperBounds[last] !== Infinity) {
    bounds = [...upperBounds, Infinity];
    counts = [...cumulative, Math.max(count, cumulative[last] as number)];
  }
  const values = percentiles.map((p) => histogramQuantile(bounds, counts, p / 100));
  return values.every(Number.isFinite) ? values : null;
}
