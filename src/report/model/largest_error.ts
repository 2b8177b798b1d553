import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { BoundedStatistic } from "../../measurement/own_error/bounded_statistics.ts";
import { upperBound } from "../../core/statistics/unbounded.ts";

/**
 * The farthest that the true value of a statistic can be from the one given: infinite where nothing
 * limits it, undefined where it has no bounds.
 */
export function largestError(
  error: MeasurementError | undefined,
  tag: MetricTag,
  statistic: string,
  value: number,
): number | undefined {
  const bounds = error?.metrics.get(tag)?.[statistic as BoundedStatistic];
  if (bounds === undefined) return undefined;
  const largest = Math.max(value - bounds.lower, upperBound(bounds.upper) - value);
  return largest >= 0 ? largest : undefined;
}
