/**
 * Differences of whole sessions between two sides, paired where both sides have sessions of the same
 * source, pass and start. Intervals are Student's, of the mean of paired differences or of independent
 * means; together they hold in 95 of 100 comparisons (Bonferroni).
 */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { upperNormalQuantile } from "../../core/statistics/histogram/normal_quantiles.ts";
import { studentFactor } from "../../core/statistics/student_factor.ts";
import { MIN_PAIRED } from "./compared_shares.ts";
import { type ComparedStatistic, isAbsolute } from "./compared_statistics.ts";
import type { Difference } from "./difference.ts";
import { momentsOf } from "./difference_uncertainty.ts";
import { differenceVerdict } from "./difference_verdict.ts";
import { runPairs } from "./run_pairs.ts";
import type { RunSample } from "./run_sample.ts";
import type { SampledSession } from "./sampled_session.ts";

/** Probability that any of the intervals does not hold. */
const OUTSIDE = 0.05;
/** Fewest pairs, or sessions of a side, with an interval. */
const MIN_SESSIONS = 3;

const DURATION: ComparedStatistic = {
  ...{ name: "session duration", unit: "s", tag: "session_duration", statistic: "avg" },
  ...{ better: "lower", kind: "sessions" },
};
const HIT_RATE: ComparedStatistic = {
  ...{ name: "session hit rate", unit: "%", tag: "session_hit_rate", statistic: "avg" },
  ...{ better: "higher", kind: "session_shares" },
};

/**
 * Differences of the means over completed sessions that both sides have.
 * @param minDifference fraction below which a difference of durations is not significant
 */
export function sessionDifferences(
  before: readonly RunSample[],
  after: readonly RunSample[],
  minDifference: number,
): Difference[] {
  const rows = [
    { statistic: DURATION, value: ({ durationSeconds }: SampledSession) => durationSeconds },
    { statistic: HIT_RATE, value: ({ hitPct }: SampledSession) => hitPct },
  ].flatMap(({ statistic, value }) => {
    const compared = comparedMeans(before, after, value);
    return compared === undefined ? [] : [{ statistic, compared }];
  });
  const z = upperNormalQuantile(OUTSIDE / 2 / Math.max(1, rows.length));
  return rows.map(({ statistic, compared: { means: [a, b], error, freedom, pairs } }) => {
    const isShare = isAbsolute(statistic);
    const scale = isShare ? 1 : a;
    const difference = (b - a) / scale;
    const half = error * studentFactor(z, freedom) / scale;
    const isKnown = Number.isFinite(half);
    const [lower, upper] = isKnown ? [difference - half, difference + half] : [NaN, NaN];
    return {
      ...{ statistic, before: a, after: b, difference, lower, upper, pairs },
      verdict: differenceVerdict(statistic, lower, upper, isShare ? 0 : minDifference),
      remark: isKnown ? undefined : "too few completed sessions",
    };
  });
}

/** Means of two sides, the standard error of their difference, and its degrees of freedom. */
interface ComparedMeans {
  readonly means: readonly [before: number, after: number];
  readonly error: number;
  readonly freedom: number;
  /** Pairs; 0 for independent sides. */
  readonly pairs: number;
}

function comparedMeans(
  before: readonly RunSample[],
  after: readonly RunSample[],
  value: (session: SampledSession) => number,
): ComparedMeans | undefined {
  const valuesOf = (runs: readonly RunSample[]): number[] =>
    runs.flatMap(({ sessions = [] }) => sessions.map(value)).filter((one) => !Number.isNaN(one));
  const [a, b] = [valuesOf(before), valuesOf(after)];
  if (a.length === 0 || b.length === 0) return undefined;
  const pairs = pairedValues(before, after, value);
  if (pairs.length >= MIN_PAIRED * Math.min(a.length, b.length)) {
    const { error, freedom } = errorOf(pairs.map(([first, second]) => second - first));
    const means = [0, 1].map((side) => arithmeticMean(pairs.map((pair) => pair[side] as number)));
    return { means: means as [number, number], error, freedom, pairs: pairs.length };
  }
  const [one, other] = [errorOf(a), errorOf(b)];
  return {
    means: [arithmeticMean(a), arithmeticMean(b)],
    error: Math.hypot(one.error, other.error),
    freedom: Math.min(one.freedom, other.freedom),
    pairs: 0,
  };
}

/** Values of sessions with the same key in the first runs of both sides, the second ones, and so on. */
function pairedValues(
  before: readonly RunSample[],
  after: readonly RunSample[],
  value: (session: SampledSession) => number,
): (readonly [number, number])[] {
  return runPairs(before, after).flatMap(([{ sessions = [] }, { sessions: others = [] }]) => {
    const partners = new Map(others.map((session) => [session.key, session]));
    partners.delete(undefined);
    return sessions.flatMap((session): (readonly [number, number])[] => {
      const partner = partners.get(session.key);
      const pair = [value(session), partner === undefined ? NaN : value(partner)] as const;
      return pair.some(Number.isNaN) ? [] : [pair];
    });
  });
}

/** Standard error of a mean; NaN for few values. */
function errorOf(values: readonly number[]): { readonly error: number; readonly freedom: number } {
  const { length } = values;
  if (length < MIN_SESSIONS) return { error: NaN, freedom: 1 };
  return { error: Math.sqrt(momentsOf(values).variance / length), freedom: length - 1 };
}
