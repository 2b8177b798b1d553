import type { MetricTag } from "../metrics/metric_tag.ts";

/** Statistics that bounds are found for. */
export const BOUNDED_STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;

/** Name of one of them. */
export type BoundedStatistic = typeof BOUNDED_STATISTICS[number];

/** Between which values the true statistic lies. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/** Bounds by statistic. */
export type StatisticBounds = Readonly<Record<BoundedStatistic, Bounds>>;

/** Percentiles among the statistics, with their ranks. */
export const PERCENTILES = [["p50", 50], ["p90", 90], ["p95", 95], ["p99", 99]] as const;

/** Threads compare their clocks to within some microseconds. */
export const CLOCK_MS = 0.01;

/** Bounds of each statistic. */
export function boundsBy(
  of: (name: BoundedStatistic, index: number) => Bounds,
): Record<BoundedStatistic, Bounds> {
  return Object.fromEntries(
    BOUNDED_STATISTICS.map((name, index) => [name, of(name, index)]),
  ) as Record<BoundedStatistic, Bounds>;
}

/** Statistic of a metric. */
export type Cell = readonly [tag: MetricTag, statistic: BoundedStatistic];

/**
 * Statistics that decide a run's verdict unless objectives name others; only those that the run
 * has.
 */
export const JUDGED_STATISTICS: readonly Cell[] = [
  ["time_to_first_token", "p50"],
  ["inter_token_latency", "p50"],
  ["request_latency", "p50"],
  ["request_throughput", "avg"],
  ["output_token_throughput", "avg"],
];
