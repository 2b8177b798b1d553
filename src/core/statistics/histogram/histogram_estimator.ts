import type { HistogramWindow } from "./histogram_window.ts";

/** Ways to estimate percentiles from histogram samples; the first is the default. */
export const HISTOGRAM_ESTIMATOR_NAMES = ["interval", "polynomial", "interpolation"] as const;

/** Name of one of them. */
export type HistogramEstimatorName = typeof HISTOGRAM_ESTIMATOR_NAMES[number];

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
