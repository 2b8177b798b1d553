import { percentile } from "../statistics/percentile.ts";
import type { Summary } from "../statistics/summarize.ts";
import { type QuantileShift, quantileShifts } from "./quantile_shift.ts";
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
  /** The most that the chunk at which it begins can have been late; undefined if not known. */
  readonly earlierAtMostMs?: Float64Array;
  /** Whether only the bounds that take no time are wanted. @default false */
  readonly isPart?: boolean;
  /** Whether the percentiles are those of the greatest values counted from above. @default false */
  readonly mirrored?: boolean;
}

/** Threads compare their clocks to within some microseconds. */
export const CLOCK_MS = 0.01;
/** Values that are sorted for each delay; of more, every second, third ... */
const MAX_SORTED = 3000;
/** Delays whose median is above this share of the measured one shape the measurement all over. */
const SATURATED_SHARE = 0.05;
/** Delays whose mean is above this share of the measured median leave nothing certain. */
const OVERWHELMED_SHARE = 0.2;
/** The median is shifted by at most so many times what delays that hang together with nothing do. */
const SHIFT_FACTOR = 1.5;
/** The same of percentiles above it, and where some delays are long. */
const DISTURBED_FACTOR = 2;
/** The longest delay of a calm run, as a share of the measured median. */
const CALM_SHARE = 0.1;
/** Values that must lie beyond a percentile, and canaries that must have been later than its share. */
const MIN_BEYOND = 4;
const FEW_VALUES = 10;
/** Room beside that, for what the canaries cannot tell. */
const MIN_ROOM_MS = 0.1;

/**
 * Bounds of a metric's statistics. Of n values at most k(d) are shifted by more than d, so the p-th
 * percentile of the true values is not below that of the measured ones at k(d) ranks less, minus d, for
 * every d; nothing is assumed of how delays and values hang together. A mean is shifted by the mean delay.
 */
export function statisticBounds(metric: ShiftedMetric): StatisticBounds {
  const { summary, later, earlier, divisors } = metric;
  // In order, so that the sum does not depend on the order in which requests were recorded.
  const share = divisors === undefined ? 1 : mean(divisors.map((divisor) => 1 / divisor).sort());
  const clock = CLOCK_MS * share;
  const sampled = sample(metric);
  const lowers = quantileBounds(metric, sampled, later, -1);
  const uppers = earlier === undefined ? undefined : quantileBounds(metric, sampled, earlier, 1);
  const bounds = Object.fromEntries(lowers.map(([name, lower], index) => [name, {
    lower: Math.max(0, lower - clock),
    upper: (uppers?.[index]?.[1] ?? summary[name]) + clock,
  }])) as Record<BoundedStatistic, Bounds>;
  const most = ({ meanAtMostNs }: LocalDelays) => meanAtMostNs / 1e6 * share;
  // Delays of one kind of chunk say only in part what those of the other add or take away.
  const least = (delays: LocalDelays) =>
    Math.max(0, delays.meanNs - 2 * delays.standardErrorNs) / 1e6 * share / 2;
  bounds.avg = {
    lower: Math.max(
      0,
      summary.avg - most(later) + (earlier === undefined ? 0 : least(earlier)) - clock,
    ),
    upper: summary.avg + clock +
      (earlier === undefined ? 0 : Math.max(0, most(earlier) - least(later))),
  };
  // A mean of few values is no surer than they are.
  if (sampled.sorted.length < FEW_VALUES) {
    const room = Math.max(0, summary.p99 - bounds.p99.lower) / Math.sqrt(sampled.sorted.length);
    bounds.avg = {
      ...bounds.avg,
      lower: Math.max(0, Math.min(bounds.avg.lower, summary.avg - room)),
    };
  }
  if (isOverwhelmed(sampled, later)) {
    for (const name of ["avg", "p90", "p95", "p99"] as const) {
      bounds[name] = { ...bounds[name], lower: 0 };
    }
  }
  for (
    const [name, { lower, upper }] of [
      ...independentBounds(metric, sampled, share),
      ...certainBounds(metric, sampled),
    ]
  ) {
    bounds[name] = {
      lower: Math.max(bounds[name].lower, lower - clock),
      upper: Math.min(bounds[name].upper, upper + clock),
    };
  }
  return bounds;
}

/**
 * Bounds of percentiles if delays and true values do not hang together, with room for if they do; none
 * where too few canaries tell of the longer delays.
 */
function independentBounds(
  { summary, later, earlier, isPart = false, mirrored = false }: ShiftedMetric,
  sampled: Sample,
  share: number,
): [BoundedStatistic, Bounds][] {
  if (isPart || mirrored) return [];
  const canaries = Math.min(later.timed.delayMs.length, earlier?.timed.delayMs.length ?? Infinity);
  const isQuiet = isCalm(sampled, later);
  const wanted = PERCENTILES.filter(([, p]) =>
    sampled.sorted.length * (1 - p / 100) >= MIN_BEYOND &&
    (p === 50 || (isQuiet && p < 99 && canaries * (1 - p / 100) >= MIN_BEYOND))
  );
  const { shifts, spreadMs } = quantileShifts(
    sampled.sorted,
    wanted.map(([, p]) => p),
    share,
    later.timed,
    earlier?.timed,
  );
  return wanted.map(([name, p], index) => {
    const { shiftMs, standardErrorMs } = shifts[index] as QuantileShift;
    // Of few requests, the delays that they had differ from those to be expected.
    const few = 3 * spreadMs / Math.sqrt(sampled.sorted.length * 2 * (1 - p / 100));
    const room = 2 * standardErrorMs + few + MIN_ROOM_MS * share;
    const factor = isQuiet && p === 50 ? SHIFT_FACTOR : DISTURBED_FACTOR;
    const most = factor * Math.abs(shiftMs) + room;
    return [name, {
      lower: summary[name] - (earlier === undefined && shiftMs < 0 ? room : most),
      upper: summary[name] + (earlier === undefined ? 0 : most),
    }];
  });
}

/** Bounds if every value is as low, or as high, as its own chunks allow for. */
function certainBounds(
  { summary, earlier, mirrored = false }: ShiftedMetric,
  { sorted, divisors, downMs, upMs }: Sample,
): [BoundedStatistic, Bounds][] {
  const shifted = (sign: 1 | -1, most: Float64Array | undefined): Float64Array =>
    sorted.map((value, i) => value + sign * (most?.[i] ?? Infinity) / (divisors?.[i] ?? 1));
  const least = shifted(-1, downMs);
  const most = earlier === undefined ? sorted : shifted(1, upMs);
  const changes = (values: Float64Array): [BoundedStatistic, number][] => {
    const ordered = values.slice().sort();
    const average = mean(ordered) - mean(sorted);
    return [
      ["avg", average],
      ...PERCENTILES.map(([name, p]): [BoundedStatistic, number] => {
        const at = mirrored ? 100 - p : p;
        return [name, percentile(ordered, at) - percentile(sorted, at)];
      }),
    ];
  };
  const ups = changes(most);
  return changes(least).map(([name, down], index) => [name, {
    lower: summary[name] + orEndless(down, -Infinity),
    upper: summary[name] + orEndless((ups[index] as [string, number])[1], Infinity),
  }]);
}

/** What is interpolated between a value and one without an end is not known. */
function orEndless(change: number, end: number): number {
  return Number.isNaN(change) ? end : change;
}

const PERCENTILES = [["p50", 50], ["p90", 90], ["p95", 95], ["p99", 99]] as const;

/** The least (`sign` -1) or greatest (1) values that percentiles may have. */
function quantileBounds(
  { summary, earlier, mirrored = false }: ShiftedMetric,
  sampled: Sample,
  delays: LocalDelays,
  sign: 1 | -1,
): [BoundedStatistic, number][] {
  const { sorted, divisors, downMs, upMs, stride } = sampled;
  const mostMs = sign < 0 ? downMs : upMs;
  const exceeding = isSaturated(sampled, delays) ? delays.exceedingAtMost : delays.exceeding;
  const best = PERCENTILES.map(() => -Infinity);
  const isQuiet = isCalm(sampled, delays);
  // The longest delay is longer than any can have been, so that what is certain is left.
  const isUncertain = sign > 0 && isOverwhelmed(sampled, delays);
  for (let at = isUncertain ? delays.delaysNs.length - 1 : 0; at < delays.delaysNs.length; at++) {
    const delayMs = (delays.delaysNs[at] as number) / 1e6;
    const ranks = (exceeding[at] as number) / stride;
    const mostRanks = (delays.exceedingAtMost[at] as number) / stride;
    const shifted = divisors === undefined && mostMs === undefined
      ? undefined
      : sorted.map((value, i) => {
        const most = Math.min(delayMs, mostMs?.[i] ?? Infinity);
        return value + sign * most / (divisors?.[i] ?? 1);
      }).sort();
    PERCENTILES.forEach(([, p], index) => {
      // Of a difference of two chunks, both can be among the few that were very late.
      const isExtreme = earlier !== undefined && !isQuiet && (p === 99 || (mirrored && p > 50));
      const late = isExtreme ? mostRanks : ranks;
      const rank = (sorted.length - 1) * (mirrored ? 100 - p : p) / 100 + sign * late;
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

/** The median of the time that was measured, whatever it is divided by. */
function measuredMs({ sorted, divisors }: Sample): number {
  return percentile(sorted, 50) * (divisors?.[sorted.length >> 1] ?? 1);
}

/** Whether no canary was late by much against what is measured. */
function isCalm(sampled: Sample, { longestNs }: LocalDelays): boolean {
  return longestNs / 1e6 < measuredMs(sampled) * CALM_SHARE;
}

/** Whether delays are common and long against what is measured, so that they shape it all over. */
function isSaturated(sampled: Sample, { timed }: LocalDelays): boolean {
  return percentile(timed.delayMs.slice().sort(), 50) > measuredMs(sampled) * SATURATED_SHARE;
}

/** Whether delays are so long against what is measured that canaries cannot tell the rest. */
function isOverwhelmed(sampled: Sample, { meanNs }: LocalDelays): boolean {
  return meanNs / 1e6 > measuredMs(sampled) * OVERWHELMED_SHARE;
}

/** Values in ascending order, and what belongs to each. */
interface Sample {
  readonly sorted: Float64Array;
  readonly divisors: Float64Array | undefined;
  /** The most that each can be lowered, and raised, by itself. */
  readonly downMs: Float64Array | undefined;
  readonly upMs: Float64Array | undefined;
  /** Each stands for so many. */
  readonly stride: number;
}

function sample(
  { values, divisors, later, earlier, earlierAtMostMs }: ShiftedMetric,
): Sample {
  const downs = later.atMostMs;
  const ups = lesser(earlierAtMostMs, earlier?.atMostMs);
  if (divisors === undefined && downs === undefined && ups === undefined) {
    return { sorted: values.slice().sort(), divisors, downMs: downs, upMs: ups, stride: 1 };
  }
  const stride = Math.ceil(values.length / MAX_SORTED);
  const key = (column: Float64Array | undefined, a: number, b: number) =>
    column === undefined ? 0 : (column[a] as number) - (column[b] as number);
  const order = Array.from(values.keys())
    .sort((a, b) => key(values, a, b) || key(divisors, a, b) || key(downs, a, b) || key(ups, a, b))
    .filter((_, rank) => rank % stride === 0);
  const pick = (column: Float64Array) => Float64Array.from(order, (i) => column[i] as number);
  return {
    sorted: pick(values),
    divisors: divisors && pick(divisors),
    downMs: downs && pick(downs),
    upMs: ups && pick(ups),
    stride,
  };
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
function valueAt(sorted: Float64Array, rank: number): number {
  return sorted.length === 1
    ? sorted[0] as number
    : percentile(sorted, rank / (sorted.length - 1) * 100);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
