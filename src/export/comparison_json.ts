import type { Comparison } from "../compare/comparison.ts";
import { USER_AGENT } from "../plan/version.ts";
import { jsonText } from "./json_text.ts";

/** `comparison.json`: every difference with its interval and what it means. */
export function comparisonJson(comparisons: readonly Comparison[]): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    "comparisons": comparisons.map(({ before, after, differences, notes }) => ({
      "before": before,
      "after": after,
      "differences": differences.map((one) => ({
        "metric": one.statistic.tag,
        "statistic": one.statistic.statistic,
        "unit": one.statistic.unit === "" ? "1/s" : one.statistic.unit,
        "before": one.before,
        "after": one.after,
        // Shares of the value before; percentage points of the error rate.
        "difference": one.difference,
        "lower": one.lower,
        "upper": one.upper,
        "verdict": one.verdict,
        "remark": one.remark ?? null,
      })),
      "notes": notes,
    })),
  }) + "\n";
}
