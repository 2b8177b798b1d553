/**
 * Differences of the shares of answers between two sides, paired by prompt where both sides have the
 * same prompts. Intervals are Newcombe's, of paired or of independent shares; together they hold in 95
 * of 100 comparisons (Bonferroni). With three or more runs per side they are at least as wide as the
 * interval from the run-to-run variance.
 */

import { upperNormalQuantile } from "../../core/statistics/histogram/normal_quantiles.ts";
import { studentFactor } from "../../core/statistics/student_factor.ts";
import { ANSWER_SHARES, type AnswerShare } from "../answers/answer_verdicts.ts";
import {
  type Estimate,
  estimatedDifference,
  pairedDifference,
  shareEstimate,
} from "../answers/paired_difference.ts";
import { type ComparedShares, MIN_PAIRED } from "./compared_shares.ts";
import type { ComparedStatistic } from "./compared_statistics.ts";
import type { Difference } from "./difference.ts";
import { differenceVerdict } from "./difference_verdict.ts";
import { areRunsCompared, momentsOf } from "./difference_uncertainty.ts";
import { driftDifference } from "./drift_difference.ts";
import { promptPairs } from "./prompt_pairs.ts";
import { runPairs } from "./run_pairs.ts";
import type { RunSample } from "./run_sample.ts";

/** Probability that any of the intervals does not hold. */
const OUTSIDE = 0.05;

const STATISTICS: Readonly<Record<AnswerShare | "drift", ComparedStatistic>> = {
  drift: statisticOf("drift", "answers_drift", "lower"),
  correct: statisticOf("correct", "answers_correct", "higher"),
  valid: statisticOf("valid", "answers_valid", "higher"),
  anomalous: statisticOf("anomalies", "answers_anomalous", "lower"),
};

function statisticOf(
  name: string,
  tag: string,
  better: ComparedStatistic["better"],
): ComparedStatistic {
  return { name, unit: "%", tag, statistic: "avg", better, kind: "answers" };
}

/** Computes a difference with the normal quantile of its interval. */
type Row = readonly [
  name: keyof typeof STATISTICS,
  compare: (z: number) => ComparedShares,
];

/** Differences of the shares that both sides have; anomalies only if either side has some. */
export function answerDifferences(
  before: readonly RunSample[],
  after: readonly RunSample[],
): Difference[] {
  const rows: Row[] = [];
  const drift = driftDifference(before, after);
  if (drift !== undefined) rows.push(["drift", drift]);
  for (const share of ANSWER_SHARES) {
    const counted = countedShares(share, before, after);
    if (counted !== undefined) rows.push([share, counted]);
  }
  const z = upperNormalQuantile(OUTSIDE / 2 / Math.max(1, rows.length));
  return rows.map(([name, compare]) => {
    const statistic = STATISTICS[name];
    const { before, after, difference, lower, upper, pairs } = compare(z);
    return {
      statistic,
      ...{ before: before * 100, after: after * 100, difference: difference * 100 },
      ...{ lower: lower * 100, upper: upper * 100, pairs },
      verdict: differenceVerdict(statistic, lower, upper, 0),
      remark: undefined,
    };
  });
}

/** Replies that have something, among those that were checked. */
interface Counted {
  readonly hits: number;
  readonly count: number;
}

function countedShares(
  share: AnswerShare,
  before: readonly RunSample[],
  after: readonly RunSample[],
): Row[1] | undefined {
  const sides = [before, after].map((runs) => runs.map((run) => countOf(run, share)));
  const [a, b] = sides.map(sumOf) as [Counted, Counted];
  if (a.count === 0 || b.count === 0) return undefined;
  if (share === "anomalous" && a.hits + b.hits === 0) return undefined;
  const paired = pairedCounts(share, before, after);
  const isPaired = paired.count >= MIN_PAIRED * Math.min(a.count, b.count);
  return (z) => {
    const compared = isPaired ? ofPairs(paired, z) : independent(a, b, z);
    return areRunsCompared(before, after) ? withRuns(compared, sides, z) : compared;
  };
}

function countOf({ answers }: RunSample, share: AnswerShare): Counted {
  let [hits, count] = [0, 0];
  for (const value of answers?.verdicts[share] ?? []) {
    if (Number.isNaN(value)) continue;
    hits += value;
    count++;
  }
  return { hits, count };
}

function sumOf(runs: readonly Counted[]): Counted {
  return {
    hits: runs.reduce((sum, { hits }) => sum + hits, 0),
    count: runs.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Pairs of equal prompts by their verdicts on both sides. */
interface PairedCounts {
  both: number;
  onlyBefore: number;
  onlyAfter: number;
  count: number;
}

/** Counts the pairs of the first runs of both sides, of the second ones, and so on, by their start. */
function pairedCounts(
  share: AnswerShare,
  before: readonly RunSample[],
  after: readonly RunSample[],
): PairedCounts {
  const counts = { both: 0, onlyBefore: 0, onlyAfter: 0, count: 0 };
  for (const [{ answers: one }, { answers: other }] of runPairs(before, after)) {
    if (one === undefined || other === undefined) continue;
    const pairs = promptPairs(one, other);
    pairs.before.forEach((row, pair) => {
      const first = one.verdicts[share][row] as number;
      const second = other.verdicts[share][pairs.after[pair] as number] as number;
      if (Number.isNaN(first) || Number.isNaN(second)) return;
      counts.count++;
      if (first === 1 && second === 1) counts.both++;
      else if (first === 1) counts.onlyBefore++;
      else if (second === 1) counts.onlyAfter++;
    });
  }
  return counts;
}

function ofPairs({ both, onlyBefore, onlyAfter, count }: PairedCounts, z: number): ComparedShares {
  const neither = count - both - onlyBefore - onlyAfter;
  return {
    before: (both + onlyBefore) / count,
    after: (both + onlyAfter) / count,
    pairs: count,
    ...pairedDifference({ both, onlyFirst: onlyAfter, onlySecond: onlyBefore, neither }, z),
  };
}

function independent(a: Counted, b: Counted, z: number): ComparedShares {
  const estimate = ({ hits, count }: Counted): Estimate => shareEstimate(hits, count, z);
  return {
    ...{ before: a.hits / a.count, after: b.hits / b.count, pairs: 0 },
    ...estimatedDifference(estimate(b), estimate(a)),
  };
}

/** With an interval that is at least as wide as that from the variance between the runs of a side. */
function withRuns(
  compared: ComparedShares,
  sides: readonly (readonly Counted[])[],
  z: number,
): ComparedShares {
  const shares = sides.map((runs) =>
    Float64Array.from(runs.filter(({ count }) => count > 0), ({ hits, count }) => hits / count)
  );
  if (shares.some(({ length }) => length < 2)) return compared;
  const freedom = shares.reduce((sum, { length }) => sum + length - 1, 0);
  const variance = shares.reduce((sum, one) => sum + momentsOf(one).variance / one.length, 0);
  const half = studentFactor(z, freedom) * Math.sqrt(variance);
  return {
    ...compared,
    lower: Math.min(compared.lower, compared.difference - half),
    upper: Math.max(compared.upper, compared.difference + half),
  };
}
