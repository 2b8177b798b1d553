import {
  type BoundedStatistic,
  boundsBy,
  CLOCK_MS,
  type StatisticBounds,
} from "./bounded_statistics.ts";
import type { LocalDelays } from "./local_delays.ts";
import { ownBounds } from "./own_bounds.ts";
import { sampledValues } from "./sampled_values.ts";
import type { ShiftedMetric } from "./shifted_metric.ts";

/**
 * Chunks of first requests can lie unread so many times as long as canaries about them tell: of 28 runs
 * with one or two waves 94.8 % of the statistics lay within their bounds without that, with it 99.6 %.
 */
export const FIRST_WAVE_FACTOR = 2;

/**
 * The wider ones of bounds by canaries, and by the chunks themselves, as far as these have an end. Of
 * hundreds of slices of a run with a few requests each, in some a chunk was late and no canary was: the
 * closer ones call one in 200 valid that is not.
 * @param share what a delay of a millisecond changes a value by, on average
 */
export function widerBounds(
  bounds: StatisticBounds,
  certain: StatisticBounds,
  { summary, later, earlier }: ShiftedMetric,
  share: number,
): StatisticBounds {
  const wider = noCloserThan(certain, bounds, CLOCK_MS * share);
  return boundsBy((name) => {
    const { lower, upper } = wider[name];
    const isHigh = name !== "avg" && name !== "p50";
    const latest = (delays: LocalDelays | undefined) => isHigh ? latestMs(delays) * share : 0;
    // Where last chunks lie longer than canaries, they also lie longer than they tell.
    const down = Math.max(later.factor * (summary[name] - lower), latest(later));
    return {
      lower: Math.max(0, summary[name] - down),
      upper: Math.max(upper, summary[name] + latest(earlier)),
    };
  });
}

/**
 * Bounds with room for how late threads wake of which canaries do not tell, as far as chunks can have
 * been late.
 * @param share what a delay of a millisecond changes a value by, on average
 */
export function withWakings(
  bounds: StatisticBounds,
  certain: StatisticBounds,
  { later, earlier }: ShiftedMetric,
  share: number,
): StatisticBounds {
  const [down, up] = [later.wakeMs * share, (earlier?.wakeMs ?? 0) * share];
  return withRoom(bounds, certain, () => ({ down, up }));
}

/**
 * Bounds with more room where many chunks are of their threads' first requests: these come all at once
 * and when all is done for the first time, with next to no shadows among them.
 */
export function withFirstWave(
  bounds: StatisticBounds,
  certain: StatisticBounds,
  { summary, later }: ShiftedMetric,
): StatisticBounds {
  if (!later.areOfFirstWave) return bounds;
  return withRoom(bounds, certain, (name) => ({
    down: (FIRST_WAVE_FACTOR - 1) * (summary[name] - bounds[name].lower),
    up: (FIRST_WAVE_FACTOR - 1) * (bounds[name].upper - summary[name]),
  }));
}

/** Bounds with more room below and above, no more than what is certain leaves. */
function withRoom(
  bounds: StatisticBounds,
  certain: StatisticBounds,
  room: (name: BoundedStatistic) => { readonly down: number; readonly up: number },
): StatisticBounds {
  const wider = boundsBy((name) => {
    const { down, up } = room(name);
    return {
      lower: Math.max(bounds[name].lower - down, certain[name].lower),
      upper: Math.min(bounds[name].upper + up, certain[name].upper),
    };
  });
  return noCloserThan(wider, bounds, 0);
}

/** Bounds that are no closer than what chunks may have waited for while their threads were busy. */
export function noCloserThanBusy(
  bounds: StatisticBounds,
  metric: ShiftedMetric,
  clock: number,
): StatisticBounds {
  const { values, divisors, later, earlier } = metric;
  const [downMs, upMs] = [later.busyMs, earlier?.busyMs];
  if (downMs === undefined && upMs === undefined) return bounds;
  const busy = ownBounds(metric, sampledValues({ values, divisors, downMs, upMs }));
  return noCloserThan(busy, bounds, clock);
}

/** Where canaries are few: how late the latest was, with which one chunk in ten can have come. */
function latestMs(delays: LocalDelays | undefined): number {
  return delays?.areFew === true && delays.unwatched === 0 ? delays.longestNs / 1e6 : 0;
}

/** The wider ones of two, as far as they have an end. */
function noCloserThan(
  own: StatisticBounds,
  bounds: StatisticBounds,
  clock: number,
): StatisticBounds {
  return boundsBy((name) => ({
    lower: Math.max(0, Math.min(...knownOf(bounds[name].lower, own[name].lower - clock))),
    upper: Math.max(...knownOf(bounds[name].upper, own[name].upper + clock)),
  }));
}

/** Those of two ends that are known; both if none is. */
export function knownOf(...ends: readonly [number, number]): readonly number[] {
  const known = ends.filter(Number.isFinite);
  return known.length === 0 ? ends : known;
}
