import type { ComparedStatistic } from "./compared_statistics.ts";
import type { Verdict } from "./difference.ts";

/**
 * Returns the verdict on a difference by its interval; "not significant" without an interval (NaN).
 * @param minDifference which the whole interval must exceed, in its unit
 */
export function differenceVerdict(
  { better }: ComparedStatistic,
  lower: number,
  upper: number,
  minDifference: number,
): Verdict {
  if (lower > minDifference) return better === "higher" ? "better" : "worse";
  if (upper < -minDifference) return better === "lower" ? "better" : "worse";
  return "not significant";
}
