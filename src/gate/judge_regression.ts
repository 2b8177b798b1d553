import type { Difference } from "../compare/compare_sides.ts";
import { differenceTexts } from "../compare/difference_texts.ts";
import type { GateResult, JudgedRun, JudgeOptions } from "./judge_slos.ts";

/** Runs of the two sides, for what is known of the client's own error. */
export interface RegressionRuns {
  readonly before: readonly JudgedRun[];
  readonly after: readonly JudgedRun[];
}

/**
 * Holds differences against the largest that is allowed for the worse: missed where the whole
 * interval is beyond it. The error rate has its own objectives, and cost is
 * throughput at a price.
 * @param maxRegression as a share
 */
export function judgeRegression(
  differences: readonly Difference[],
  maxRegression: number,
  runs: RegressionRuns,
  { requireValid }: JudgeOptions,
): GateResult[] {
  return differences.filter(({ statistic: { kind } }) => kind !== "errors" && kind !== "cost").map(
    (one) => {
      const { statistic, lower, upper, remark } = one;
      const isMissed = (factor: number): boolean =>
        statistic.better === "lower"
          ? (1 + lower) * factor - 1 > maxRegression
          : (1 + upper) * factor - 1 < -maxRegression;
      const missed = isMissed(1);
      const doubtful = ownErrorFactors(one, runs).some((factor) => isMissed(factor) !== missed);
      const { name, difference, interval } = differenceTexts(one);
      const percent = Number((maxRegression * 100).toPrecision(6));
      const remarks = [
        ...(remark === undefined ? [] : [`cannot tell: ${remark}`]),
        ...(doubtful ? ["the client's own error could change this"] : []),
      ];
      return {
        kind: "regression",
        name,
        condition: `at most ${percent} % worse`,
        found: remark === undefined ? `${difference} (${interval})` : difference,
        met: !missed && !(doubtful && requireValid),
        doubtful,
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
    },
  );
}

/** By what the true ratio of the two sides may differ from the measured one, at the extremes. */
function ownErrorFactors({ statistic }: Difference, { before, after }: RegressionRuns): number[] {
  const [a, b] = [before, after].map((runs) => {
    const shares = runs.flatMap((run) => {
      const bounds = run.bounds.get(statistic.tag)?.[statistic.statistic];
      const value = run.client.get(statistic.tag)?.stats[statistic.statistic];
      if (bounds === undefined || value === undefined || !(value > 0)) return [];
      return [{ lower: bounds.lower / value, upper: bounds.upper / value }];
    });
    const mean = (name: "lower" | "upper"): number =>
      shares.length === 0 ? 1 : shares.reduce((sum, one) => sum + one[name], 0) / shares.length;
    return { lower: mean("lower"), upper: mean("upper") };
  }) as [{ lower: number; upper: number }, { lower: number; upper: number }];
  return [b.lower / a.upper, b.upper / a.lower].filter((factor) => factor > 0);
}
