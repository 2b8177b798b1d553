import {
  HISTOGRAM_ESTIMATOR_NAMES,
  type HistogramEstimator,
  type HistogramEstimatorName,
} from "./histogram_estimator.ts";
import { INTERPOLATION_ESTIMATOR } from "./interpolation_estimator.ts";
import { INTERVAL_ESTIMATOR } from "./interval_estimator.ts";
import { POLYNOMIAL_ESTIMATOR } from "./polynomial_estimator.ts";

const BY_NAME: Readonly<Record<HistogramEstimatorName, HistogramEstimator>> = {
  "interval": INTERVAL_ESTIMATOR,
  "polynomial": POLYNOMIAL_ESTIMATOR,
  "interpolation": INTERPOLATION_ESTIMATOR,
};

/** All estimators by name; the first is the default. */
export const HISTOGRAM_ESTIMATORS: ReadonlyMap<HistogramEstimatorName, HistogramEstimator> =
  new Map(HISTOGRAM_ESTIMATOR_NAMES.map((name) => [name, BY_NAME[name]]));
