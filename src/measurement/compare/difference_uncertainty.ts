/** How uncertain the difference of a statistic between two sides is. */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import type { Dependence } from "../../core/statistics/dependence.ts";
import { COMPARED_STATISTICS, type ResampledStatistic } from "./compared_statistics.ts";

/** Number of runs on each side from which the variance between runs is known well enough by itself. */
const MIN_RUNS = 3;

/** Whether both sides have enough runs for confidence intervals from the variance between runs. */
export function areRunsCompared(
  before: { readonly length: number },
  after: { readonly length: number },
): boolean {
  return before.length >= MIN_RUNS && after.length >= MIN_RUNS;
}

/** One of two sides, and bootstrap samples of it. */
export interface Drawn {
  /** The statistics of everything. */
  readonly whole: Float64Array;
  /** Statistics of each bootstrap sample. */
  readonly draws: readonly Float64Array[];
  /** Statistics of each run, where a side has several. */
  readonly runs: readonly {
    readonly whole: Float64Array;
    readonly draws: readonly Float64Array[];
  }[];
  /** By what the variance of each statistic is larger than its draws say, and its freedom. */
  readonly dependences: readonly Dependence[];
  readonly count: (statistic: ResampledStatistic) => number;
}

/** Variance of a difference, and the degrees of freedom that it is known with. */
export interface Uncertainty {
  readonly variance: number;
  readonly freedom: number;
}

/** A difference whose uncertainty is wanted. */
export interface Uncertain {
  readonly statistic: ResampledStatistic;
  /** Place of the statistic among those that are compared. */
  readonly index: number;
  /** Returns the statistic on a scale on which differences are distances. */
  at(values: Float64Array): number;
  readonly a: Drawn;
  readonly b: Drawn;
  /** Whether the runs of both sides took turns. */
  readonly takeTurns: boolean;
}

/**
 * Returns the uncertainty of a difference; with three or more runs per side, from the variance
 * between runs.
 */
export function uncertaintyOf(uncertain: Uncertain): Uncertainty {
  return areRunsCompared(uncertain.a.runs, uncertain.b.runs)
    ? runToRun(uncertain)
    : withinAndBetween(uncertain);
}

/**
 * Uncertainty by the variance between runs: of the pairs of runs that took turns, otherwise pooled over
 * both sides (two-sample t test with equal variances).
 */
function runToRun({ a, at, b, index, statistic, takeTurns }: Uncertain): Uncertainty {
  const rare = rareFailures(statistic, index, a, b);
  const valuesOf = ({ runs }: Drawn): number[] => runs.map(({ whole }) => at(whole));
  if (takeTurns) {
    const [before, after] = [valuesOf(a), valuesOf(b)];
    const pairs = after.map((value, run) => value - (before[run] as number));
    return {
      variance: momentsOf(pairs).variance / pairs.length + rare,
      freedom: pairs.length - 1,
    };
  }
  const sides = [a, b].map(valuesOf);
  const freedom = sides.reduce((sum, values) => sum + values.length - 1, 0);
  const squares = sides.reduce(
    (sum, values) => sum + momentsOf(values).variance * (values.length - 1),
    0,
  );
  const perRun = squares / freedom;
  return {
    variance: sides.reduce((sum, values) => sum + perRun / values.length, rare),
    freedom,
  };
}

/** Uncertainty by what blocks of requests differ by, and by what runs of a side differ by beyond that. */
function withinAndBetween({ a, at, b, index, statistic, takeTurns }: Uncertain): Uncertainty {
  const sides = [a, b].map(({ draws, dependences }) => {
    const { factor, freedom } = dependences[index] as Dependence;
    return { variance: momentsOf(draws.map(at)).variance * factor, freedom };
  });
  const within = sides.reduce((sum, { variance }) => sum + variance, 0) +
    rareFailures(statistic, index, a, b);
  const between = betweenRuns(at, a, b, takeTurns);
  const variance = within + between.variance;
  const doubt = [...sides, between].reduce(
    (sum, { variance, freedom }) => sum + variance ** 2 / freedom,
    0,
  );
  return { variance, freedom: doubt === 0 ? Infinity : variance ** 2 / doubt };
}

/** Variance of failures that no bootstrap sample contains, because none happened. */
function rareFailures(
  { kind }: ResampledStatistic,
  index: number,
  a: Drawn,
  b: Drawn,
): number {
  if (kind !== "errors") return 0;
  return [a, b].reduce((sum, side) => {
    const statistic = COMPARED_STATISTICS[index] as ResampledStatistic;
    const count = side.count(statistic);
    if ((side.whole[index] as number) > 0) return sum;
    const share = 1 / (count + 2);
    return sum + share * (1 - share) / count * 1e4;
  }, 0);
}

/** Variance between the runs of a side beyond their sampling error, as part of the difference. */
function betweenRuns(
  at: (values: Float64Array) => number,
  a: Drawn,
  b: Drawn,
  takeTurns: boolean,
): { readonly variance: number; readonly freedom: number } {
  const chance = ({ runs }: Drawn) => runs.map(({ draws }) => momentsOf(draws.map(at)).variance);
  if (takeTurns) {
    const pairs = a.runs.map(({ whole }, i) => at(b.runs[i]?.whole as Float64Array) - at(whole));
    const { variance } = momentsOf(pairs);
    const expected = arithmeticMean(chance(a)) + arithmeticMean(chance(b));
    return {
      variance: Math.max(0, variance - expected) / pairs.length,
      freedom: pairs.length - 1,
    };
  }
  const sides = [a, b].filter(({ runs }) => runs.length > 1);
  const freedom = sides.reduce((sum, { runs }) => sum + runs.length - 1, 0);
  if (freedom === 0) return { variance: 0, freedom: 1 };
  // Both sides' runs tell of the same thing: how far runs of one server are apart.
  const excess = sides.reduce((sum, side) => {
    const { variance } = momentsOf(side.runs.map(({ whole }) => at(whole)));
    return sum + (variance - arithmeticMean(chance(side))) * (side.runs.length - 1);
  }, 0) / freedom;
  const runsOf = ({ runs }: Drawn): number => Math.max(1, runs.length);
  return { variance: Math.max(0, excess) * (1 / runsOf(a) + 1 / runsOf(b)), freedom };
}

/** Mean of values, and their variance with n - 1. */
export function momentsOf(
  values: ArrayLike<number>,
): { readonly mean: number; readonly variance: number } {
  const all = Array.from(values);
  const mean = arithmeticMean(all);
  const squares = all.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (all.length - 1) };
}
