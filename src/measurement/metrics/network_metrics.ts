/**
 * Latencies without the network's share, as AIPerf reports them: `max(latency - RTT, 0)` of each
 * request, with the mean time of a TCP connect as RTT. Only what begins when the client sends has
 * that share; gaps between chunks have not.
 */

import type { Metric, MetricFlag } from "./metric.ts";
import type { RecordMetricTag } from "./record_metrics.ts";

/** A latency and what it is made of. */
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

/** What was taken off. */
export const NETWORK_RTT = {
  tag: "network_rtt",
  header: "Network RTT",
  unit: "ms",
  flags: ["NO_INDIVIDUAL_RECORDS"],
  consoleOrder: 305,
} as const satisfies Metric;
