import { selectPercentiles } from "../statistics/select_percentiles.ts";
import type { Summary } from "../statistics/summarize.ts";
import { UNBOUNDED } from "../statistics/unbounded.ts";
import { type BoundedStatistic, type Bounds, PERCENTILES } from "./bounded_statistics.ts";
import type { LocalDelays } from "./local_delays.ts";
import { meanOf } from "./mean_of.ts";
import { judged, type StatisticError } from "./measurement_error.ts";
import { areFew, roomOf, statisticBounds } from "./statistic_bounds.ts";
import { FIRST_WAVE_FACTOR, knownOf } from "./wider_bounds.ts";

/** Tokens a second of requests, and what their first and last chunks do to them. */
export interface PerUserRates {
  /** Of the rates, as it is reported. */
  readonly summary: Summary;
  /** Milliseconds between the tokens of each request. */
  readonly itlMs: Float64Array;
  /** Gaps that a delay of a chunk is shared out among, for each of them. */
  readonly divisors: Float64Array;
  /** Delays of the last and of the first chunks. */
  readonly later: LocalDelays;
  readonly earlier: LocalDelays;
  /** Whether it is of a part of a run. */
  readonly isPart: boolean;
}

/**
 * Bounds of tokens a second, which are a thousand divided by the milliseconds between tokens.
 *
 * A reply that was read all at once has no such rate, though the true one may have: any rate at all,
 * with which the mean may be anything. Percentiles lie between those with such replies and without them.
 */
export function perUserErrors(
  { summary, itlMs, divisors, later, earlier, isPart }: PerUserRates,
): Partial<Record<BoundedStatistic, StatisticError>> {
  const isIncomplete = itlMs.some((itl) => !(itl > 0));
  const errors: Partial<Record<BoundedStatistic, StatisticError>> = {};
  // Of the reciprocals, the p-th percentile is at the rank of 100 - p.
  const mirrored = {
    ...summary,
    p50: 1000 / summary.p50,
    p90: 1000 / summary.p90,
    p95: 1000 / summary.p95,
    p99: 1000 / summary.p99,
  };
  const bounds = statisticBounds({
    ...{ summary: mirrored, values: itlMs, divisors, later, earlier, isPart },
    mirrored: true,
  });
  const ofAllMs = selectPercentiles(itlMs.slice(), PERCENTILES.map(([, p]) => 100 - p).reverse())
    .reverse();
  PERCENTILES.forEach(([name], index) => {
    // A percentile of the rates is of fewer replies, and lies between two of them in another place.
    const awayMs = mirrored[name] - (ofAllMs[index] as number);
    const { lower, upper } = reciprocal({
      lower: bounds[name].lower - Math.max(0, awayMs),
      upper: bounds[name].upper + Math.max(0, -awayMs),
    });
    errors[name] = judged(summary[name], {
      lower: Math.min(summary[name], lower),
      upper: Math.max(summary[name], upper),
    });
  });
  if (isIncomplete) {
    errors.avg = judged(summary.avg, { lower: 0, upper: UNBOUNDED });
    return errors;
  }
  // A delay weighs more the shorter the time that it is a part of.
  const share = meanOf(itlMs.map((itl, at) => 1000 / (itl ** 2 * (divisors[at] as number))));
  const most = ({ meanAtMostNs, stoodMeanNs, wakeMs }: LocalDelays) =>
    (meanAtMostNs - stoodMeanNs) / 1e6 + wakeMs;
  const least = ({ meanAtLeastNs }: LocalDelays) => meanAtLeastNs / 1e6;
  const up = share * Math.max(0, most(later) - least(earlier));
  const down = share * Math.max(0, most(earlier) - least(later));
  /** Mean change of the rates if each chunk was late by so many milliseconds, if that is known. */
  const changeBy = (sign: 1 | -1, lateMs: Float64Array | undefined, unknown = 0): number => {
    if (lateMs === undefined) return unknown;
    return meanOf(itlMs.map((itl, at) => {
      const changed = itl + sign * (lateMs[at] as number) / (divisors[at] as number);
      return changed > 0 ? Math.abs(1000 / changed - 1000 / itl) : Infinity;
    }));
  };
  const highest = up < summary.avg ? summary.avg + up / (1 - up / summary.avg) : UNBOUNDED;
  // A mean of few values is no surer than they are.
  const room = roomOf(summary.p99, errors.p99 as Bounds, itlMs.length);
  let less = Math.max(
    down + changeBy(1, earlier.stoodMs),
    changeBy(1, earlier.busyMs),
    room.lower,
  );
  let more = Math.max(
    highest - summary.avg + changeBy(-1, later.stoodMs),
    changeBy(-1, later.busyMs),
    room.upper,
  );
  if (areFew(itlMs.length, isPart, later)) {
    // One that was late without a canary near it shows.
    less = Math.max(...knownOf(less, changeBy(1, earlier.atMostMs, Infinity)));
    more = later.factor * Math.max(...knownOf(more, changeBy(-1, later.atMostMs, Infinity)));
  }
  const factor = later.areOfFirstWave ? FIRST_WAVE_FACTOR : 1;
  errors.avg = judged(summary.avg, {
    lower: Math.max(0, summary.avg - factor * less),
    upper: Math.min(UNBOUNDED, summary.avg + factor * more),
  });
  return errors;
}

/** Between which values the reciprocals of times between two lie, as rates a second. */
function reciprocal({ lower, upper }: Bounds): Bounds {
  return { lower: 1000 / upper, upper: lower > 0 ? 1000 / lower : UNBOUNDED };
}
