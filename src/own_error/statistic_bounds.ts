import { percentile } from "../statistics/percentile.ts";
import type { SortedValues } from "../statistics/sorted_values.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type Bounds,
  CLOCK_MS,
  PERCENTILES,
  type StatisticBounds,
} from "./bounded_statistics.ts";
import { isCalm, isOverwhelmed, isSaturated, isToldBy, measuredMs } from "./delay_regimes.ts";
import type { LocalDelays } from "./local_delays.ts";
import { meanOf } from "./mean_of.ts";
import { ownBounds } from "./own_bounds.ts";
import { type QuantileShift, quantileShifts } from "./quantile_shift.ts";
import { type SampledValues, sampledValues } from "./sampled_values.ts";
import type { ShiftedMetric } from "./shifted_metric.ts";
import { ShiftedValues } from "./shifted_values.ts";
import { BLOCK_NS } from "./timed_delays.ts";
import { noCloserThanBusy, widerBounds, withFirstWave, withWakings } from "./wider_bounds.ts";

/** Where delays overwhelm, chunks lie unread up to so many times as long as canaries, on average. */
const OVERWHELMED_FACTOR = 1.5;
/** The median is shifted by at most so many times what delays that hang together with nothing do. */
const SHIFT_FACTOR = 1.25;
/** The same of percentiles above it, and where some delays are long. */
const DISTURBED_FACTOR = 1.5;
/**
 * Where delays shape what is measured, first chunks come when their thread has just begun to be busy,
 * canaries at any time: the median one is late by up to so many times the mean delay of canaries, however
 * delays are spread. Of 318 runs, 131 of them of servers that answer at once, TTFT's median lay within its
 * bounds in 302 without that, and in 315 with it.
 */
const IN_STEP_FACTOR = 1.5;
/**
 * Of saturated threads up to a fifth of the last chunks were written a turn earlier than turns say: p95
 * and p99 of latency were 1.03 to 1.1 times as late as they allow for, in 9 of 50 such runs.
 */
const EARLIER_TURN_FACTOR = 1.25;
/** Values that must lie beyond a percentile, and canaries that must have been later than its share. */
const MIN_BEYOND = 4;
/** Of fewer values, one that was late without a canary near it shows in every statistic. */
const FEW_VALUES = 10;
/** The same of a part of a run: there are hundreds of those, and few canaries near each. */
const FEW_VALUES_OF_PART = 1000;
/** Room beside that, for what the canaries cannot tell. */
const MIN_ROOM_MS = 0.1;
/** The same where it makes both ends of a time late. */
const MIN_DIFFERENCE_ROOM_MS = 0.05;

/**
 * Bounds of a metric's statistics. Of n values at most k(d) are shifted by more than d, so the p-th
 * percentile of the true values is not below that of the measured ones at k(d) ranks less, minus d, for
 * every d; nothing is assumed of how delays and values hang together. A mean is shifted by the mean delay.
 */
export function statisticBounds(metric: ShiftedMetric): StatisticBounds {
  const { summary, later, earlier, divisors } = metric;
  const share = divisors === undefined ? 1 : meanOf(divisors.map((divisor) => 1 / divisor));
  const clock = CLOCK_MS * share;
  const sampled = sampleOf(metric);
  const lowers = quantileBounds(metric, sampled, later, -1);
  const uppers = earlier === undefined ? undefined : quantileBounds(metric, sampled, earlier, 1);
  const bounds = Object.fromEntries(lowers.map(([name, lower], index) => [name, {
    lower: Math.max(0, lower - clock),
    upper: (uppers?.[index]?.[1] ?? summary[name]) + clock,
  }])) as Record<BoundedStatistic, Bounds>;
  const most = ({ meanAtMostNs }: LocalDelays) => meanAtMostNs / 1e6 * share;
  // Delays of one kind of chunk say only in part what those of the other add or take away.
  const least = ({ meanAtLeastNs }: LocalDelays) => meanAtLeastNs / 1e6 * share / 2;
  bounds.avg = {
    lower: Math.max(
      0,
      summary.avg - most(later) + (earlier === undefined ? 0 : least(earlier)) - clock,
    ),
    upper: summary.avg + clock +
      (earlier === undefined ? 0 : Math.max(0, most(earlier) - least(later))),
  };
  const change = changeOf(metric, sampled);
  if (change !== undefined) {
    bounds.avg = {
      lower: Math.max(bounds.avg.lower, summary.avg - change.downMs * share),
      upper: Math.min(bounds.avg.upper, summary.avg + change.upMs * share),
    };
  }
  const room = roomOf(summary.p99, bounds.p99, sampled.sorted.length);
  bounds.avg = {
    lower: Math.max(0, Math.min(bounds.avg.lower, summary.avg - room.lower)),
    upper: Math.max(bounds.avg.upper, summary.avg + room.upper),
  };
  if (isOverwhelmed(sampled, later)) {
    for (const name of ["p90", "p95", "p99"] as const) {
      bounds[name] = { ...bounds[name], lower: 0 };
    }
    const { lower, upper } = bounds.avg;
    const down = OVERWHELMED_FACTOR * (summary.avg - lower);
    bounds.avg = { lower: Math.max(0, summary.avg - down), upper };
  }
  const certain = ownBounds(metric, sampled);
  if (areFew(sampled.sorted.length, metric.isPart === true, later)) {
    return withFirstWave(widerBounds(bounds, certain, metric, share), certain, metric);
  }
  for (
    const [name, { lower, upper }] of [
      ...independentBounds(metric, sampled, share, change === undefined),
      ...BOUNDED_STATISTICS.map((name) => [name, certain[name]] as const),
    ]
  ) {
    bounds[name] = {
      lower: Math.max(bounds[name].lower, lower - clock),
      upper: Math.min(bounds[name].upper, upper + clock),
    };
  }
  const woken = withWakings(bounds, certain, metric, share);
  return withFirstWave(noCloserThanBusy(woken, metric, clock), certain, metric);
}

/**
 * By how much a mean can be too great, and too small, as the chunks at which the times end lay unread
 * longer than those at which they begin, or shorter: by the canaries of their kinds, and by those of
 * every kind. Only for times so short that delays of both hang together, and where turns of the event
 * loop say of both how late they can have been, as canaries are like chunks then.
 */
function changeOf(
  { later, earlier, values }: ShiftedMetric,
  sampled: SampledValues,
): { readonly downMs: number; readonly upMs: number } | undefined {
  if (later.atMostMs === undefined || earlier?.atMostMs === undefined) return undefined;
  if (measuredMs(sampled) > BLOCK_NS / 1e6) return undefined;
  if (!isToldBy(sampled, later, earlier)) return undefined;
  const longer = [
    later.timed.longerThan(earlier.timed, values.length),
    later.timedOfAll.longerThan(earlier.timedOfAll, values.length),
  ];
  const most = (sign: 1 | -1, { oneMoreNs, stoodMeanNs }: LocalDelays): number =>
    Math.max(
      0,
      ...longer.map(({ meanNs, standardErrorNs }) =>
        (sign * meanNs + Math.hypot(2 * standardErrorNs, oneMoreNs)) / 1e6
      ),
    ) + stoodMeanNs / 1e6 + MIN_DIFFERENCE_ROOM_MS;
  return { downMs: most(1, later), upMs: most(-1, earlier) };
}

/**
 * Bounds of percentiles if delays and true values do not hang together, with room for if they do; none
 * where too few canaries tell of the longer delays.
 */
function independentBounds(
  metric: ShiftedMetric,
  sampled: SampledValues,
  share: number,
  isChangeUnknown: boolean,
): [BoundedStatistic, Bounds][] {
  const { summary, later, earlier, isPart = false, mirrored = false } = metric;
  if (isPart || mirrored || !isToldBy(sampled, later, earlier)) return [];
  const canaries = Math.min(later.timed.delayMs.length, earlier?.timed.delayMs.length ?? Infinity);
  const isQuiet = isCalm(sampled, later);
  const wanted = PERCENTILES.filter(([, p]) =>
    sampled.sorted.length * (1 - p / 100) >= MIN_BEYOND &&
    (p === 50 ||
      (isQuiet && p < 99 && canaries * (1 - p / 100) >= MIN_BEYOND &&
        MIN_BEYOND * later.together <= sampled.sorted.length * sampled.stride * (1 - p / 100)))
  );
  if (wanted.length === 0) return [];
  const shifts = quantileShifts(
    sampled.sorted,
    sampled.sorted.length * sampled.stride,
    wanted.map(([, p]) => p),
    share,
    later.timed,
    earlier?.timed,
  );
  return wanted.map(([name, p], index) => {
    const { shiftMs, standardErrorMs, drawnMs } = shifts[index] as QuantileShift;
    const unknown = isChangeUnknown ? MIN_ROOM_MS : MIN_DIFFERENCE_ROOM_MS;
    const room = 2 * Math.hypot(standardErrorMs, drawnMs) + unknown * share;
    const factor = isQuiet && p === 50 ? SHIFT_FACTOR : DISTURBED_FACTOR;
    const isInStep = p === 50 && later.kind === "first" && isSaturated(sampled, later);
    const inStepMs = isInStep ? IN_STEP_FACTOR * later.meanNs / 1e6 * share : 0;
    const most = Math.max(factor * Math.abs(shiftMs), inStepMs) + room;
    const down = (earlier === undefined && shiftMs < 0 ? room : most) +
      changeByRanks(sampled, p, -later.stood);
    return [name, {
      lower: summary[name] - down,
      upper: summary[name] +
        (earlier === undefined ? 0 : most + changeByRanks(sampled, p, earlier.stood)),
    }];
  });
}

/** By how much a percentile changes if so many values move from one side of it to the other. */
function changeByRanks({ sorted, stride }: SampledValues, p: number, count: number): number {
  if (count === 0) return 0;
  const rank = (sorted.length - 1) * p / 100 + count / stride;
  if (rank < 0 || rank > sorted.length - 1) return Infinity;
  return Math.abs(valueAt(sorted, rank) - percentile(sorted, p));
}

/**
 * By how much a mean may be too great, and too small, at least: one of few values is no surer than
 * they are, by the bounds of their 99th percentile.
 */
export function roomOf(p99: number, { lower, upper }: Bounds, count: number): Bounds {
  if (count >= FEW_VALUES) return { lower: 0, upper: 0 };
  return {
    lower: Math.max(0, p99 - lower) / Math.sqrt(count),
    upper: Math.max(0, upper - p99) / Math.sqrt(count),
  };
}

/** The least (`sign` -1) or greatest (1) values that percentiles may have. */
function quantileBounds(
  metric: ShiftedMetric,
  sampled: SampledValues,
  delays: LocalDelays,
  sign: 1 | -1,
): [BoundedStatistic, number][] {
  const { summary, earlier, isPart = false, mirrored = false } = metric;
  const { sorted, divisors, downMs, upMs, stride } = sampled;
  const hasFew = areFew(sorted.length, isPart, delays);
  const hasOwnShifts = divisors !== undefined || (sign < 0 ? downMs : upMs) !== undefined;
  const shifted = hasOwnShifts ? new ShiftedValues(sampled, sign) : undefined;
  const exceeding = isSaturated(sampled, delays) ? delays.exceedingAtMost : delays.exceeding;
  const best = PERCENTILES.map(() => -Infinity);
  const isQuiet = isCalm(sampled, delays);
  // The longest delay is longer than any can have been, so that what is certain is left.
  const isUncertain = sign > 0 && isOverwhelmed(sampled, delays);
  for (let at = isUncertain ? delays.delaysNs.length - 1 : 0; at < delays.delaysNs.length; at++) {
    const delayMs = (delays.delaysNs[at] as number) / 1e6;
    const ranks = (exceeding[at] as number) / stride;
    const mostRanks = (delays.exceedingAtMost[at] as number) / stride;
    let isShifted = false;
    PERCENTILES.forEach(([, p], index) => {
      // Of a difference of two chunks, both can be among the few that were very late.
      const isExtreme = earlier !== undefined && !isQuiet && (p === 99 || (mirrored && p > 50));
      const late = hasFew ? Math.ceil(mostRanks) : isExtreme ? mostRanks : ranks;
      const rank = (sorted.length - 1) * (mirrored ? 100 - p : p) / 100 + sign * late;
      if (rank < 0 || rank > sorted.length - 1) return;
      if (!isShifted) shifted?.shiftBy(delayMs);
      isShifted = true;
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

/** Whether so many values of a run, or of a part of it, or canaries, are so few that the wider bounds hold. */
export function areFew(count: number, isPart: boolean, { areFew }: LocalDelays): boolean {
  return areFew || count < (isPart ? FEW_VALUES_OF_PART : FEW_VALUES);
}

function sampleOf(
  { values, divisors, later, earlier, earlierAtMostMs }: ShiftedMetric,
): SampledValues {
  const sampled = sampledValues({
    values,
    divisors,
    downMs: later.atMostMs,
    upMs: lesser(earlierAtMostMs, earlier?.atMostMs),
  });
  if (later.kind !== "last" || !isSaturated(sampled, later)) return sampled;
  return { ...sampled, downMs: sampled.downMs?.map((ms) => EARLIER_TURN_FACTOR * ms) };
}

/** The lesser ones of two columns, either of which may be missing. */
function lesser(
  a: Float64Array | undefined,
  b: Float64Array | undefined,
): Float64Array | undefined {
  return a === undefined || b === undefined
    ? a ?? b
    : a.map((value, i) => Math.min(value, b[i] as number));
}

/** The value at a rank, interpolated as percentiles are. */
function valueAt(sorted: SortedValues, rank: number): number {
  return sorted.length === 1
    ? sorted.at(0) as number
    : percentile(sorted, rank / (sorted.length - 1) * 100);
}
