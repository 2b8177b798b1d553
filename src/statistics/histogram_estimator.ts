import type { HistogramWindow } from "./histogram_window.ts";
import { INTERPOLATION_ESTIMATOR } from "./interpolation_estimator.ts";
import { INTERVAL_ESTIMATOR } from "./interval_estimator.ts";
import { POLYNOMIAL_ESTIMATOR } from "./polynomial_estimator.ts";

/** Ways to estimate percentiles from histogram samples. */
export type HistogramEstimatorName = "polynomial" | "interpolation" | "interval";

/** Estimates percentiles of the observations that a histogram counted in a window. */
export interface HistogramEstimator {
  readonly name: HistogramEstimatorName;
  /** One line for the help text. */
  readonly description: string;
  /**
   * @param percentiles from 0 to 100
   * @returns one value per percentile; null if the window says nothing about them
   */
  estimate(window: HistogramWindow, percentiles: readonly number[]): number[] | null;
}

/** All estimators by name; the first is the default. */
export const HISTOGRAM_ESTIMATORS: ReadonlyMap<HistogramEstimatorName, HistogramEstimator> =
  new Map(
    [POLYNOMIAL_ESTIMATOR, INTERPOLATION_ESTIMATOR, INTERVAL_ESTIMATOR].map((
      estimator,
    ) => [estimator.name, estimator]),
  );
