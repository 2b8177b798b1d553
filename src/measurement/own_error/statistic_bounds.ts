import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { orderedSum } from "../../core/statistics/ordered_sum.ts";
import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { type Bounds, boundsBy, CLOCK_MS, type StatisticBounds } from "./bounded_statistics.ts";
import { FEW } from "./delays_by_kind.ts";
import type { ReadDelays } from "./read_delays.ts";

/** Number of tokens that the time of each value is divided by, and the limits of that number. */
export interface Divisors {
  readonly tokens: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** A metric of requests as measured, and how read delays can have shifted its values. */
export interface ShiftedMetric {
  /** Reported summary of the metric. */
  readonly summary: Summary;
  /** Measured values in ms, one for each request. */
  readonly values: Float64Array;
  /** Numbers of tokens that times are divided by; undefined for times as they are. */
  readonly divisors: Divisors | undefined;
  /** Read delays of the chunks at which the times end; they lengthen the times. */
  readonly later: ReadDelays;
  /**
   * Read delays of the chunks at which the times begin; they shorten the times. Undefined if the times
   * begin with the request.
   */
  readonly earlier: ReadDelays | undefined;
}

/**
 * Bounds of a metric's statistics: the statistics of the values with every chunk shifted by the longest
 * read delay it can have had, plus the resolution of the clock. A lower bound divides by the most tokens
 * that are possible, an upper bound by the fewest.
 */
export function statisticBounds(metric: ShiftedMetric): StatisticBounds {
  const { summary, values, divisors, later, earlier } = metric;
  const measured = summarize(values);
  const least = shiftedSummary(metric, later, -1);
  const most = earlier === undefined ? measured : shiftedSummary(metric, earlier, 1);
  const clock = CLOCK_MS *
    (divisors === undefined ? 1 : meanOf(divisors.least.map((each) => 1 / each)));
  return boundsBy((name) => ({
    lower: Math.max(0, summary[name] + least[name] - measured[name] - clock),
    upper: summary[name] + most[name] - measured[name] + clock,
  }));
}

/** No server writes more tokens per second to a user: a rate above it is that of a reply read at once. */
const MAX_RATE = 1e12;

/**
 * Bounds of the statistics of tokens per second and user, which is 1000 divided by the time between
 * tokens in ms. A reply that may have arrived all at once has no upper bound.
 */
export function rateBounds(metric: ShiftedMetric): StatisticBounds {
  const { summary, later, earlier = later } = metric;
  const rate = (ms: number): number => ms > 0 ? 1000 / ms : UNBOUNDED;
  const least = shiftedSummary(metric, earlier, 1, rate);
  const most = shiftedSummary(metric, later, -1, rate);
  return boundsBy((name) => ({
    lower: Math.min(summary[name], least[name]),
    upper: most[name] <= MAX_RATE ? Math.max(summary[name], most[name]) : UNBOUNDED,
  }));
}

/**
 * Bounds of the tokens per second and user of all requests together: the tokens that they had at least
 * or at most, by the times between first and last chunks as long or short as they can have been.
 * @param value as it is reported
 */
export function pooledRateBounds(metric: ShiftedMetric, value: number): Bounds {
  const { divisors, later, earlier = later, values } = metric;
  if (divisors === undefined) return { lower: 0, upper: UNBOUNDED };
  const { tokens, least, most } = divisors;
  const rate = (counts: Float64Array, { meanMs, latestMs }: ReadDelays, sign: 1 | -1): number => {
    const delayMs = values.length < FEW ? latestMs : meanMs;
    const times = values.map((value, i) =>
      Math.max(0, value * (tokens[i] as number) + sign * (delayMs[i] as number))
    );
    const ms = orderedSum(times);
    return ms > 0 ? 1000 * orderedSum(counts.slice()) / ms : UNBOUNDED;
  };
  return {
    lower: Math.min(value, rate(least, earlier, 1)),
    upper: Math.max(value, rate(most, later, -1)),
  };
}

/**
 * Statistics of the values if each is shorter (`sign` -1) or longer by its chunk's read delay. Averages
 * of at least {@linkcode FEW} values use the mean of the canaries near each chunk, all else the latest.
 */
function shiftedSummary(
  { values, divisors }: ShiftedMetric,
  { meanMs, latestMs }: ReadDelays,
  sign: 1 | -1,
  of: (ms: number) => number = (ms) => ms,
): Summary {
  const limits = sign < 0 ? divisors?.most : divisors?.least;
  const summaryBy = (delayMs: Float64Array): Summary =>
    summarize(
      values.map((value, i) => {
        const ms = value * (divisors?.tokens[i] ?? 1) + sign * (delayMs[i] as number);
        return of(ms / (limits?.[i] ?? 1));
      }),
    );
  if (values.length < FEW) return summaryBy(latestMs);
  const { avg } = summaryBy(meanMs);
  return { ...summaryBy(latestMs), avg };
}

/** Mean to the last bit, in whatever order requests were recorded. Sorts the values. */
function meanOf(values: Float64Array): number {
  return arithmeticMean(values.sort());
}
