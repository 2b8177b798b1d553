import type { Difference, Verdict } from "./difference.ts";

/**
 * Differences as they are reported: of runs that are not comparable, no significant difference is
 * better or worse.
 */
export function comparableDifferences(
  differences: readonly Difference[],
  isComparable: boolean,
): readonly Difference[] {
  return isComparable ? differences : differences.map((one) => ({
    ...one,
    verdict: comparableVerdict(one.verdict, isComparable),
  }));
}

/** A verdict on runs; "not comparable" replaces "better" and "worse". */
export function comparableVerdict(verdict: Verdict, isComparable: boolean): Verdict {
  return isComparable || verdict === "not significant" ? verdict : "not comparable";
}
