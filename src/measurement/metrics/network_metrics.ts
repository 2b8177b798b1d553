/**
 * Latencies without the network, as AIPerf reports them: `max(latency - RTT, 0)` of each request,
 * with the mean time of a TCP connect as RTT. Only times that begin when the client sends include
 * the network; gaps between chunks do not.
 */

import type { Metric, MetricFlag } from "./metric.ts";
import type { RecordMetricTag } from "./record_metrics.ts";

/** A latency and the metric from which it is computed. */
export interface NetworkAdjustedMetric<Tag extends string = string> extends Metric<Tag> {
  readonly of: RecordMetricTag;
}

/** The metrics without the network's share, all of them. */
export const NETWORK_ADJUSTED_METRICS = [
  adjusted(
    "network_adjusted_time_to_first_token",
    "Network-Adjusted Time to First Token",
    "time_to_first_token",
    101,
  ),
  adjusted(
    "network_adjusted_time_to_first_output_token",
    "Network-Adjusted Time to First Output Token",
    "time_to_first_output_token",
    211,
  ),
  adjusted(
    "network_adjusted_request_latency",
    "Network-Adjusted Request Latency",
    "request_latency",
    301,
  ),
];

function adjusted<Tag extends string>(
  tag: Tag,
  header: string,
  of: RecordMetricTag,
  consoleOrder: number,
): NetworkAdjustedMetric<Tag> {
  const flags: readonly MetricFlag[] = [];
  return { tag, header, unit: "ms", flags, of, consoleOrder };
}

/** Metric of the subtracted time. */
export const NETWORK_RTT = {
  tag: "network_rtt",
  header: "Network RTT",
  unit: "ms",
  flags: ["NO_INDIVIDUAL_RECORDS"],
  consoleOrder: 305,
} as const satisfies Metric;
