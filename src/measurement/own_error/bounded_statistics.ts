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

/** Those that are percentiles, and which. */
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
