/**
 * Differences between two sides, where a side is one run or several repetitions.
 *
 * Every statistic's difference gets a confidence interval by a bootstrap of blocks of neighbouring
 * requests (see `blocked_run.ts`): blocks of each run are resampled, and all statistics, including
 * p99, are computed from the bootstrap sample. The confidence intervals are simultaneous: without
 * any difference, all of them contain zero in 95 of 100 comparisons. With several runs per side,
 * the run-to-run variance is added, except for the part that neighbours of both sides share in
 * alternating runs.
 */

import { randomStream } from "../../core/statistics/random_stream.ts";
import { studentFactor } from "../../core/statistics/student_factor.ts";
import { blockedRun, drawBlocks } from "./blocked_run.ts";
import { answerDifferences } from "./answer_differences.ts";
import { COMPARED_STATISTICS, isAbsolute, type ResampledStatistic } from "./compared_statistics.ts";
import type { Difference } from "./difference.ts";
import { differenceVerdict } from "./difference_verdict.ts";
import { Pool } from "./pool.ts";
import { areRunsCompared, type Drawn, momentsOf, uncertaintyOf } from "./difference_uncertainty.ts";
import type { RunSample } from "./run_sample.ts";
import { sessionDifferences } from "./session_differences.ts";

/** Settings of a comparison. */
export interface CompareOptions {
  /** How often all intervals together hold. @default 0.95 */
  readonly level?: number;
  /** Fraction below which a difference is not significant, however certain it is. @default 0.01 */
  readonly minDifference?: number;
  /** @default 1 */
  readonly seed?: number;
  /** Draws of the bootstrap. @default 1000 */
  readonly draws?: number;
}

/** Default confidence level of a comparison. */
const DEFAULT_LEVEL = 0.95;
/** See {@linkcode CompareOptions.minDifference}. */
const DEFAULT_MIN_DIFFERENCE = 0.01;
/** Runs with fewer requests say nothing. */
const MIN_REQUESTS = 16;
/** Minimum number of values expected beyond a percentile on each side. */
const MIN_BEYOND = 1;
/** An interval further out than this factor, to both sides of zero, says nothing. */
const LARGEST_FACTOR = 10;
const DRAWS = 1000;

/** Compares two sides; a statistic that either has not is left out. */
export function compareSides(
  before: readonly RunSample[],
  after: readonly RunSample[],
  options: CompareOptions = {},
): Difference[] {
  const { level = DEFAULT_LEVEL, minDifference = DEFAULT_MIN_DIFFERENCE, seed = 1 } = options;
  // The variance between runs needs no draws of single runs.
  const drawsRuns = !areRunsCompared(before, after);
  const settings = { seed, draws: options.draws ?? DRAWS, drawsRuns };
  const a = drawn(before, "before", settings);
  const b = drawn(after, "after", settings);
  const takeTurns = tookTurns(before, after);
  const rows = COMPARED_STATISTICS.flatMap((statistic, index) => {
    const [from, to] = [a.whole[index] as number, b.whole[index] as number];
    // Of nothing nobody can say how much more something is.
    const least = isAbsolute(statistic) ? -1 : 0;
    if (!(from > least && to > least)) return [];
    return [{ statistic, index, from, to, ...spread(statistic, index, a, b, takeTurns) }];
  });
  const factor = commonFactor(rows.filter(({ error }) => Number.isFinite(error)), level);
  const differences = rows.map((row): Difference => {
    const { statistic, from, to, distance, error, freedom } = row;
    const half = error * studentFactor(factor, freedom);
    const isInPoints = isAbsolute(statistic);
    const isVast = half > Math.log(LARGEST_FACTOR) && Math.abs(distance) < half;
    const reason = row.reason ??
      (isVast && !isInPoints ? "too few independent samples" : undefined);
    const shown = (value: number): number => isInPoints ? value : Math.expm1(value);
    const [lower, upper] = reason === undefined
      ? [shown(distance - half), shown(distance + half)]
      : [NaN, NaN];
    const difference = isInPoints ? to - from : to / from - 1;
    return {
      statistic,
      before: from,
      after: to,
      difference,
      lower,
      upper,
      verdict: differenceVerdict(statistic, lower, upper, isInPoints ? 0 : minDifference),
      remark: reason,
    };
  });
  return [
    ...differences,
    ...sessionDifferences(before, after, minDifference),
    ...answerDifferences(before, after),
  ];
}

/** Whether the runs of both sides took turns: then neighbours make pairs. */
export function tookTurns(before: readonly RunSample[], after: readonly RunSample[]): boolean {
  if (before.length !== after.length || before.length < 2) return false;
  const times = ([...runs]: readonly RunSample[]) =>
    runs.map(({ startEpochNs }) => startEpochNs).sort((a, b) => a < b ? -1 : 1);
  const [a, b] = [times(before), times(after)];
  return a.every((time, i) => {
    const [nextA, nextB] = [a[i + 1], b[i + 1]];
    const last = time > (b[i] as bigint) ? time : b[i] as bigint;
    return nextA === undefined || nextB === undefined || (last < nextA && last < nextB);
  });
}

/** How often sides are drawn. */
interface DrawSettings {
  readonly seed: number;
  readonly draws: number;
  /** Whether each run of a side is drawn, too. */
  readonly drawsRuns: boolean;
}

function drawn(
  samples: readonly RunSample[],
  name: string,
  { draws, drawsRuns, seed }: DrawSettings,
): Drawn {
  const order = [...samples].sort((a, b) => a.startEpochNs < b.startEpochNs ? -1 : 1);
  const runs = order.map(blockedRun);
  const pool = new Pool(runs, COMPARED_STATISTICS);
  const own = runs.length > 1 ? runs.map((run) => new Pool([run], COMPARED_STATISTICS)) : [];
  const random = randomStream(seed, name);
  const weights = new Uint16Array(pool.blocks);
  const all: Float64Array[] = [];
  const each = own.map((): Float64Array[] => []);
  for (let draw = 0; draw < draws; draw++) {
    drawBlocks(runs, weights, random);
    all.push(pool.compute(weights));
    if (!drawsRuns) continue;
    let first = 0;
    own.forEach((one, i) => {
      each[i]?.push(one.compute(weights.subarray(first, first + one.blocks)));
      first += one.blocks;
    });
  }
  const wholeOf = (one: Pool): Float64Array => one.compute(new Uint16Array(one.blocks).fill(1));
  return {
    whole: wholeOf(pool),
    draws: all,
    runs: own.map((one, i) => ({ whole: wholeOf(one), draws: each[i] as Float64Array[] })),
    dependences: drawsRuns ? pool.dependences() : [],
    count: (statistic) => pool.count(statistic),
  };
}

/** How uncertain a difference is; on a scale on which it is a distance. */
interface Spread {
  readonly distance: number;
  /** Standard error. */
  readonly error: number;
  readonly freedom: number;
  /** Distances of the draws from their mean, in standard errors. */
  readonly deviations: Float64Array;
  /** Why nothing can be said; undefined if it can. */
  readonly reason: string | undefined;
}

function spread(
  statistic: ResampledStatistic,
  index: number,
  a: Drawn,
  b: Drawn,
  takeTurns: boolean,
): Spread {
  const scale = isAbsolute(statistic) ? (value: number) => value : Math.log;
  const at = (values: Float64Array): number => scale(values[index] as number);
  const distance = at(b.whole) - at(a.whole);
  const distances = Float64Array.from(
    a.draws,
    (draw, i) => at(b.draws[i] as Float64Array) - at(draw),
  );
  const { mean, variance } = momentsOf(distances);
  const { freedom, variance: total } = uncertaintyOf({ statistic, index, at, a, b, takeTurns });
  const error = Math.sqrt(total);
  const least = Math.min(a.count(statistic), b.count(statistic));
  const needed = statistic.kind === "quantile"
    ? Math.max(MIN_REQUESTS, Math.ceil(MIN_BEYOND / (1 - statistic.quantile)))
    : MIN_REQUESTS;
  return {
    distance,
    error,
    freedom,
    deviations: distances.map((value) => variance === 0 ? 0 : (value - mean) / Math.sqrt(variance)),
    reason: least < needed
      ? `${least} ${least === 1 ? "request is" : "requests are"} too few, it takes ${needed}`
      : !Number.isFinite(distance) || !Number.isFinite(total)
      ? "undefined for some bootstrap samples"
      : undefined,
  };
}

/** By how many standard errors intervals must reach out so that they hold together. */
function commonFactor(rows: readonly Spread[], level: number): number {
  const draws = rows[0]?.deviations.length ?? 0;
  const widest = new Float64Array(draws);
  for (const { deviations } of rows) {
    deviations.forEach((deviation, draw) => {
      widest[draw] = Math.max(widest[draw] as number, Math.abs(deviation));
    });
  }
  widest.sort();
  return widest[Math.min(draws - 1, Math.ceil(level * draws))] ?? NaN;
}
