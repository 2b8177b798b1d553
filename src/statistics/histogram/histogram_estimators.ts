import type { HistogramEstimator, HistogramEstimatorName } from "./histogram_estimator.ts";
import { INTERPOLATION_ESTIMATOR } from "./interpolation_estimator.ts";
import { INTERVAL_ESTIMATOR } from "./interval_estimator.ts";
import { POLYNOMIAL_ESTIMATOR } from "./polynomial_estimator.ts";

/** All estimators by name; the first is the default. */
export const HISTOGRAM_ESTIMATORS: ReadonlyMap<HistogramEstimatorName, HistogramEstimator> =
  new Map(
    [INTERVAL_ESTIMATOR, POLYNOMIAL_ESTIMATOR, INTERPOLATION_ESTIMATOR].map((
      estimator,
    ) => [estimator.name, estimator]),
  );
