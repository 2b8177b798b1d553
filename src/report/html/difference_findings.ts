/** Sentences that describe how sides differ. */

import type { Difference } from "../../measurement/compare/difference.ts";
import type { Comparison } from "../../measurement/compare/comparison.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";

/** Returns the finding about a statistic: `TTFT p99 is worse: 111 -> 134 ms (+20.7 %)`. */
export function differenceFinding(comparisons: readonly Comparison[], name: string): string {
  const found = comparisons.flatMap(({ after, differences }) => {
    const one = differences.find(({ statistic }) => statistic.name === name);
    if (one === undefined) return [];
    const { values, difference } = differenceTexts(one);
    const whose = comparisons.length > 1 ? ` in ${after}` : "";
    return one.verdict === "not significant" || one.verdict === "not comparable"
      ? [`${name}${whose}: ${one.verdict} (${values}, ${difference})`]
      : [`${name} is ${one.verdict}${whose}: ${values} (${difference})`];
  });
  return found.join("; ");
}

/** Which statistics are better and worse, as a sentence. */
export function comparisonVerdict({ before, after, differences }: Comparison): string {
  const named = (verdict: Difference["verdict"]): string =>
    differences.filter((one) => one.verdict === verdict).map((one) => {
      const { name, difference } = differenceTexts(one);
      return `${name} (${difference})`;
    }).join(", ");
  const [worse, better] = [named("worse"), named("better")];
  const parts = [
    ...(worse === "" ? [] : [`worse in ${worse}`]),
    ...(better === "" ? [] : [`better in ${better}`]),
  ];
  if (differences.length === 0) {
    return `Nothing of ${after} can be compared with ${before}: no request succeeded`;
  }
  if (differences.some(({ verdict }) => verdict === "not comparable")) {
    return `${before} and ${after} are not comparable: ${named("not comparable")}`;
  }
  if (parts.length === 0) return `No difference between ${before} and ${after} is significant`;
  const others = differences.filter(({ verdict }) => verdict === "not significant").length;
  return `Compared with ${before}, ${after} is ${parts.join(", and ")}` +
    (others === 0 ? "" : `; ${others} of ${differences.length} differences are not significant`);
}
