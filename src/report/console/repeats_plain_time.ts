import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";

const STATISTICS = ["avg", "p50", "p90", "p95", "p99", "max"] as const;

/** Times from the intended start, and those that they equal where no request waited for a slot. */
const PLAIN: ReadonlyMap<MetricTag, MetricTag> = new Map([
  ["effective_time_to_first_token", "time_to_first_token"],
  ["effective_latency", "request_latency"],
]);

/** Whether a time from the intended start equals, within 1 %, the one from the actual start. */
export function repeatsPlainTime(results: MetricResults, tag: MetricTag): boolean {
  const other = PLAIN.get(tag);
  const own = distributionOf(results, tag);
  const plain = other === undefined ? undefined : distributionOf(results, other);
  return own !== undefined && plain !== undefined &&
    STATISTICS.every((name) => Math.abs(own[name] - plain[name]) <= 0.01 * plain[name]);
}
