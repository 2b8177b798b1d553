import type { RecordMetric } from "./record_metrics.ts";
import type { RequestRecord } from "./request_record.ts";

/** An objective whose metric is known. */
export interface ResolvedObjective {
  readonly metric: RecordMetric;
  /** Value in the metric's unit. */
  readonly threshold: number;
}

/**
 * Whether a valid request meets every objective. A metric that the run does not have meets none.
 * @param metrics those of the run
 */
export function isGood(
  record: RequestRecord,
  objectives: readonly ResolvedObjective[],
  metrics: readonly RecordMetric[],
): boolean {
  return objectives.every(({ metric, threshold }) => {
    if (!metrics.includes(metric)) return false;
    const value = metric.value(record);
    return metric.flags.includes("LARGER_IS_BETTER") ? value >= threshold : value <= threshold;
  });
}
