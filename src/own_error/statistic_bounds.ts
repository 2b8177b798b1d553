import { percentile } from "../statistics/percentile.ts";
import type { Summary } from "../statistics/summarize.ts";
import type { LocalDelays } from "./local_delays.ts";

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

/** A metric of requests as it was measured, and how the reading of chunks shifts it. */
export interface ShiftedMetric {
  /** Its summary as it is reported. */
  readonly summary: Summary;
  /** Its values, in milliseconds. */
  readonly values: Float64Array;
  /** Tokens, or one, that a delay of a chunk is shared out among, for each value. */
  readonly divisors: Float64Array | undefined;
  /** Delays of the chunk at which the measured time ends; they make it longer. */
  readonly later: LocalDelays;
  /** Delays of the chunk at which it begins, which make it shorter; undefined if it is the start. */
  readonly earlier: LocalDelays | undefined;
  /** Whether the percentiles are those of the greatest values counted from above. @default false */
  readonly mirrored?: boolean;
}

/** Threads compare their clocks to within some microseconds. */
const CLOCK_MS = 0.01;
/** Values that are sorted for each delay; of more, every second, third ... */
const MAX_SORTED = 20_000;

/**
 * Bounds of a metric's statistics. Of n values at most k(d) are shifted by more than d, so the p-th
 * percentile of the true values is not below that of the measured ones at k(d) ranks less, minus d, for
 * every d; nothing is assumed of how delays and values hang together. A mean is shifted by the mean delay.
 */
export function statisticBounds(metric: ShiftedMetric): StatisticBounds {
  const { summary, later, earlier, divisors } = metric;
  const share = divisors === undefined ? 1 : mean(divisors.map((divisor) => 1 / divisor));
  const clock = CLOCK_MS * share;
  const lowers = quantileBounds(metric, later, -1);
  const uppers = earlier === undefined ? undefined : quantileBounds(metric, earlier, 1);
  const bounds = Object.fromEntries(lowers.map(([name, lower], index) => [name, {
    lower: Math.max(0, lower - clock),
    upper: (uppers?.[index]?.[1] ?? summary[name]) + clock,
  }])) as Record<BoundedStatistic, Bounds>;
  const most = (delays: LocalDelays) => (delays.meanNs + 2 * delays.standardErrorNs) / 1e6 * share;
  const least = (delays: LocalDelays) =>
    Math.max(0, delays.meanNs - 2 * delays.standardErrorNs) / 1e6 * share;
  bounds.avg = {
    lower: Math.max(
      0,
      summary.avg - most(later) + (earlier === undefined ? 0 : least(earlier)) - clock,
    ),
    upper: summary.avg + clock +
      (earlier === undefined ? 0 : Math.max(0, most(earlier) - least(later))),
  };
  return bounds;
}

const PERCENTILES = [["p50", 50], ["p90", 90], ["p95", 95], ["p99", 99]] as const;

/** The least (`sign` -1) or greatest (1) values that percentiles may have. */
function quantileBounds(
  { summary, values, divisors, mirrored = false }: ShiftedMetric,
  { delaysNs, exceeding }: LocalDelays,
  sign: 1 | -1,
): [BoundedStatistic, number][] {
  const stride = divisors === undefined ? 1 : Math.ceil(values.length / MAX_SORTED);
  const some = values.filter((_, i) => i % stride === 0);
  const someDivisors = divisors?.filter((_, i) => i % stride === 0);
  const sorted = some.slice().sort();
  const best = PERCENTILES.map(() => -Infinity);
  for (let at = 0; at < delaysNs.length; at++) {
    const delayMs = (delaysNs[at] as number) / 1e6;
    const ranks = (exceeding[at] as number) / stride;
    const shifted = someDivisors === undefined
      ? undefined
      : some.map((value, i) => value + sign * delayMs / (someDivisors[i] as number)).sort();
    PERCENTILES.forEach(([, p], index) => {
      const rank = (sorted.length - 1) * (mirrored ? 100 - p : p) / 100 + sign * ranks;
      if (rank < 0 || rank > sorted.length - 1) return;
      const value = shifted === undefined
        ? valueAt(sorted, rank) + sign * delayMs
        : valueAt(shifted, rank);
      best[index] = Math.max(best[index] as number, -sign * value);
    });
  }
  return PERCENTILES.map(([name, p], index) => {
    // The sample stands for the change, not for the statistic itself.
    const change = -sign * (best[index] as number) - percentile(sorted, mirrored ? 100 - p : p);
    return [name, sign < 0 && !Number.isFinite(change) ? 0 : summary[name] + change];
  });
}

/** The value at a rank, interpolated as percentiles are. */
function valueAt(sorted: Float64Array, rank: number): number {
  return sorted.length === 1
    ? sorted[0] as number
    : percentile(sorted, rank / (sorted.length - 1) * 100);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
