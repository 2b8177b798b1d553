/**
 * The difference of two frontiers along the speed that users get, with a pointwise 95 % interval: the
 * curves of both sides are computed again from bootstrap samples of their points.
 */

import { roundValues } from "../../core/statistics/round_values.ts";
import { endSlope, type FrontierCurve, frontierCurve, rateAt } from "./frontier_curve.ts";
import { type DrawnPoint, percentileRange } from "./point_draws.ts";

/** Both frontiers at one speed. */
export interface FrontierStep {
  /** Output tokens per second and user. */
  readonly speed: number;
  /** Throughputs of both sides. */
  readonly before: number;
  readonly after: number;
  /** Difference as a fraction of `before`, and its pointwise 95 % interval; NaN if it is not known. */
  readonly difference: number;
  readonly lower: number;
  readonly upper: number;
}

/** Speeds from the slowest to the fastest point of a frontier. */
export type SpeedRange = readonly [slowest: number, fastest: number];

/** See the module's comment. */
export interface FrontierDifference {
  readonly curves: { readonly before: FrontierCurve; readonly after: FrontierCurve };
  readonly ranges: {
    readonly before: SpeedRange | undefined;
    readonly after: SpeedRange | undefined;
    /** Speeds that both sides reach; undefined if there is none. */
    readonly both: SpeedRange | undefined;
  };
  /** By ascending speed, over the range that both sides reach; empty if there is none. */
  readonly steps: readonly FrontierStep[];
}

/** Steps over the range that both sides reach, next to the points themselves. */
const STEPS = 40;
/** Number of round speeds that are sought. */
const ROUND_SPEEDS = 7;

/** Compares the frontiers of two sides. */
export function frontierDifference(
  before: readonly DrawnPoint[],
  after: readonly DrawnPoint[],
): FrontierDifference {
  const curves = { before: frontierCurve(before), after: frontierCurve(after) };
  const [a, b] = [rangeOf(curves.before), rangeOf(curves.after)];
  const both = a && b && commonRange(a, b);
  const ranges = { before: a, after: b, both };
  if (both === undefined) return { curves, ranges, steps: [] };
  const speeds = speedsOf(curves, both, roundSpeeds(ranges));
  return { curves, ranges, steps: stepsOf(before, after, curves, speeds) };
}

function rangeOf(curve: FrontierCurve): SpeedRange | undefined {
  const [first] = curve;
  const last = curve.at(-1);
  return first === undefined || last === undefined ? undefined : [first.speed, last.speed];
}

function commonRange(a: SpeedRange, b: SpeedRange): SpeedRange | undefined {
  const [slowest, fastest] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  return slowest <= fastest ? [slowest, fastest] : undefined;
}

function stepsOf(
  before: readonly DrawnPoint[],
  after: readonly DrawnPoint[],
  curves: FrontierDifference["curves"],
  speeds: readonly number[],
): FrontierStep[] {
  const slopes = { before: endSlope(curves.before), after: endSlope(curves.after) };
  const points = [...before, ...after];
  // A point of unknown uncertainty may be anywhere.
  const isKnown = points.every(({ intervals }) => !Number.isNaN(intervals.speed[0]));
  const draws = isKnown ? Math.min(...points.map(({ draws }) => draws.length)) : 0;
  const drawn = Array.from({ length: draws }, (_, draw) => ({
    before: frontierCurve(before.map(({ draws }) => draws[draw] as DrawnPoint)),
    after: frontierCurve(after.map(({ draws }) => draws[draw] as DrawnPoint)),
  }));
  return speeds.map((speed) => {
    const ratio = (of: FrontierDifference["curves"]): number =>
      rateAt(of.after, speed, slopes.after) / rateAt(of.before, speed, slopes.before) - 1;
    const difference = ratio(curves);
    const [lower, upper] = percentileRange(drawn.map(ratio));
    return {
      speed,
      before: rateAt(curves.before, speed, slopes.before),
      after: rateAt(curves.after, speed, slopes.after),
      difference,
      lower: Math.min(lower, difference),
      upper: Math.max(upper, difference),
    };
  });
}

/** Even steps, round speeds, and the points of both frontiers, within the range. */
function speedsOf(
  curves: FrontierDifference["curves"],
  [from, to]: SpeedRange,
  round: readonly number[],
): number[] {
  const even = Array.from({ length: STEPS }, (_, i) => from + (to - from) * i / STEPS);
  const own = [...curves.before, ...curves.after].map(({ speed }) => speed);
  const within = [...even, ...own, ...round].filter((speed) => speed >= from && speed <= to);
  return [...new Set([...within, to])].sort((a, b) => a - b);
}

/** Round speeds over the range that either side reaches. */
export function roundSpeeds({ after, before }: FrontierDifference["ranges"]): number[] {
  const known = [before, after].filter((range) => range !== undefined);
  if (known.length === 0) return [];
  const from = Math.min(...known.map(([slowest]) => slowest));
  return roundValues(from, Math.max(...known.map(([, fastest]) => fastest)), ROUND_SPEEDS);
}
