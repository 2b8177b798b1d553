import type { Bounds } from "../../measurement/own_error/bounded_statistics.ts";
import {
  COMPARED_STATISTICS,
  type ComparedStatistic,
} from "../../measurement/compare/compared_statistics.ts";
import type { Difference } from "../../measurement/compare/difference.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";
import { ERROR_UNKNOWN, type GateResult } from "./judge_slos.ts";
import { isErrorUnknown, type JudgedRun } from "./judged_run.ts";

/** Runs of the two sides, for facts other than their differences. */
export interface RegressionRuns {
  readonly before: readonly JudgedRun[];
  readonly after: readonly JudgedRun[];
  /** Why runs of either side are not comparable with others; missing if they are. */
  readonly incomparable?: string | undefined;
}

/**
 * Checks differences against the maximum regression. A gate is missed if the whole confidence
 * interval is beyond it, or if the run lacks a statistic that its baseline has. The error rate has
 * its own objectives, and cost is throughput at a price.
 *
 * A gate is inconclusive if its confidence interval contains the limit, if the client error could
 * change its verdict, if there is no confidence interval, or if the runs are not comparable.
 * @param maxRegression as a fraction
 */
export function judgeRegression(
  differences: readonly Difference[],
  maxRegression: number,
  runs: RegressionRuns,
): GateResult[] {
  const statistics = COMPARED_STATISTICS.filter(({ kind }) => kind !== "errors" && kind !== "cost");
  return statistics.flatMap((statistic) => {
    const one = differences.find((difference) =>
      difference.statistic.tag === statistic.tag &&
      difference.statistic.statistic === statistic.statistic
    );
    if (one !== undefined) return [judge(one, maxRegression, runs)];
    return hasFigure(statistic, runs.before) ? [lost(statistic, maxRegression, runs)] : [];
  });
}

function judge(
  one: Difference,
  maxRegression: number,
  runs: RegressionRuns,
): GateResult {
  const { statistic, lower, upper, remark } = one;
  const isMissed = (factor: number): boolean =>
    statistic.better === "lower"
      ? (1 + lower) * factor - 1 > maxRegression
      : (1 + upper) * factor - 1 < -maxRegression;
  const missed = isMissed(1);
  const isUnmeasured = [...runs.before, ...runs.after].some((run) =>
    isErrorUnknown(run.client.get(statistic.tag)?.unit ?? "ms", run)
  );
  const isShaken = ownErrorFactors(one, runs).some((factor) => isMissed(factor) !== missed);
  const isUntold = remark !== undefined;
  const isCertain = missed ||
    (statistic.better === "lower" ? upper <= maxRegression : lower >= -maxRegression);
  const doubtful = isUnmeasured || isShaken;
  const { name, difference, interval } = differenceTexts(one);
  const remarks = [
    ...notComparable(runs.incomparable),
    ...(isUntold ? [`no confidence interval: ${remark}`] : []),
    ...(isShaken ? ["the client's own error could change this"] : []),
    ...(isUnmeasured ? [ERROR_UNKNOWN] : []),
  ];
  return {
    kind: "regression",
    name,
    condition: conditionOf(maxRegression),
    found: isUntold ? difference : `${difference} (${interval})`,
    met: !missed,
    doubtful,
    conclusive: isCertain && !isUntold && !doubtful && runs.incomparable === undefined,
    remark: remarks.join("; ") || undefined,
    figures: {
      "metric": statistic.tag,
      "statistic": statistic.statistic,
      "max_regression": maxRegression,
      "before": one.before,
      "after": one.after,
      "difference": one.difference,
      "lower": lower,
      "upper": upper,
    },
  };
}

/** Returns the gate of a statistic that only the baseline has. */
function lost(
  { name, tag, statistic }: ComparedStatistic,
  maxRegression: number,
  { before, incomparable }: RegressionRuns,
): GateResult {
  const value = before.map((run) => run.client.get(tag)?.stats[statistic]).find((one) =>
    one !== undefined
  );
  return {
    kind: "regression",
    name,
    condition: conditionOf(maxRegression),
    found: "no value",
    met: false,
    doubtful: false,
    conclusive: incomparable === undefined,
    remark: [...notComparable(incomparable), "only the baseline has one"].join("; "),
    figures: {
      "metric": tag,
      "statistic": statistic,
      "max_regression": maxRegression,
      "before": value as number,
    },
  };
}

function notComparable(reason: string | undefined): string[] {
  return reason === undefined ? [] : [`not comparable: ${reason}`];
}

function conditionOf(maxRegression: number): string {
  return `at most ${Number((maxRegression * 100).toPrecision(6))} % worse`;
}

function hasFigure({ tag, statistic }: ComparedStatistic, runs: readonly JudgedRun[]): boolean {
  return runs.some(({ client }) => (client.get(tag)?.stats[statistic] ?? 0) > 0);
}

/** By what the true ratio of the two sides may differ from the measured one, at the extremes. */
function ownErrorFactors({ statistic }: Difference, { before, after }: RegressionRuns): number[] {
  const [a, b] = [before, after].map((runs) => {
    const shares = runs.flatMap((run) => {
      const known: ReadonlyMap<string, Readonly<Partial<Record<string, Bounds>>>> = run.bounds;
      const bounds = known.get(statistic.tag)?.[statistic.statistic];
      const value = run.client.get(statistic.tag)?.stats[statistic.statistic];
      if (bounds === undefined || value === undefined || !(value > 0)) return [];
      return [{ lower: bounds.lower / value, upper: bounds.upper / value }];
    });
    const mean = (name: "lower" | "upper"): number =>
      shares.length === 0 ? 1 : shares.reduce((sum, one) => sum + one[name], 0) / shares.length;
    return { lower: mean("lower"), upper: mean("upper") };
  }) as [{ lower: number; upper: number }, { lower: number; upper: number }];
  return [b.lower / a.upper, b.upper / a.lower].filter((factor) => !Number.isNaN(factor));
}
