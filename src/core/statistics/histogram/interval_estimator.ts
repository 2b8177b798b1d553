import { coveredWindow } from "./covered_window.ts";
import { estimateDesignEffect } from "./design_effect.ts";
import type { HistogramEstimator } from "./histogram_estimator.ts";
import { histogramIntervals } from "./histogram_intervals.ts";
import { INTERPOLATION_ESTIMATOR } from "./interpolation_estimator.ts";
import { movingModel } from "./moving_model.ts";
import { percentileBounds, withinBounds } from "./percentile_bounds.ts";
import { spreadObservations } from "./spread_observations.ts";
import { steadyModel } from "./steady_model.ts";

/**
 * Uses the sum of every interval between two scrapes, not only of those that saw one bucket.
 *
 * 1. A model describes the distribution of observations within each bucket and interval. Its scale
 * moves with the interval's mean if the numbers of observations move too. Otherwise it is steady,
 * with means, variances and shapes fitted to the sums of all intervals.
 * 2. Each interval's own sum then corrects its observations, in proportion to their variances; what
 * is left of the variance is what is not known. A single observation in an interval is known
 * exactly, an outlier among small ones nearly so.
 * 3. Percentiles are those of all observations so placed, within the bounds that are certain.
 *
 * The work grows with the number of samples times the number of buckets.
 */
export const INTERVAL_ESTIMATOR: HistogramEstimator = {
  name: "interval",
  description: "densities per bucket fitted to the counts and sums of all scrape intervals",
  estimate(window, percentiles) {
    const covered = coveredWindow(window);
    if (covered === null) return null;
    const data = histogramIntervals(covered.window);
    if (!(data.count > 0) || !data.buckets.some(({ upper }) => Number.isFinite(upper))) return null;
    const designEffect = estimateDesignEffect(data);
    const model = movingModel(data, designEffect) ?? steadyModel(data, designEffect);
    const spread = spreadObservations(data, model).percentiles(percentiles);
    // Squares of values beyond 1e150 are no numbers any more.
    const estimate = spread.every(Number.isFinite)
      ? spread
      : INTERPOLATION_ESTIMATOR.estimate(window, percentiles);
    const bounds = percentileBounds(window, percentiles);
    return estimate === null || bounds === null ? estimate : withinBounds(estimate, bounds);
  },
};
