import type { Comparison } from "../../../measurement/compare/comparison.ts";
import type { Difference } from "../../../measurement/compare/difference.ts";
import type { QuietDifference } from "../../../measurement/compare/quiet_difference.ts";
import { COST_METRICS } from "../../../measurement/metrics/run_metrics.ts";
import { USER_AGENT } from "../../../config/plan/version.ts";
import { jsonText } from "../../../core/files/json_text.ts";

/** `comparison.json`: every difference with its interval and what it means. */
export function comparisonJson(comparisons: readonly Comparison[]): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    "comparisons": comparisons.map((comparison) => {
      const { before, after, tags, differences, notes } = comparison;
      return {
        "before": before,
        "after": after,
        ...(tags.before.length === 0 ? {} : { "before_tags": Object.fromEntries(tags.before) }),
        ...(tags.after.length === 0 ? {} : { "after_tags": Object.fromEntries(tags.after) }),
        "window": comparison.window,
        "comparable": comparison.isComparable,
        "interval_from": comparison.areRunsCompared ? "runs" : "requests",
        "differences": differences.map(differenceObject),
        ...quietObject(comparison.quiet),
        "notes": notes,
      };
    }),
  }) + "\n";
}

/** The key `answers_without_load`; absent if the samples have no prompt in common. */
export function quietObject(quiet: QuietDifference | undefined): Record<string, unknown> {
  return quiet === undefined ? {} : {
    "answers_without_load": {
      "prompts": quiet.prompts,
      "differ": quiet.differ,
      "noise_floor": quiet.noiseFloor,
      "lower": quiet.lower,
      "upper": quiet.upper,
      "verdict": quiet.hasChanged ? "changed" : "not significant",
    },
  };
}

/**
 * A difference, as a fraction of the value before; in percentage points for shares of answers and the
 * error rate.
 */
export function differenceObject(one: Difference): Record<string, unknown> {
  return {
    "metric": one.statistic.tag,
    "statistic": one.statistic.statistic,
    "unit": unitOf(one.statistic),
    "before": one.before,
    "after": one.after,
    "difference": one.difference,
    "lower": one.lower,
    "upper": one.upper,
    "verdict": one.verdict,
    ...(one.pairs === undefined ? {} : { "pairs": one.pairs }),
    "remark": one.remark ?? null,
  };
}

function unitOf({ kind, unit, tag }: Difference["statistic"]): string {
  if (kind === "cost") {
    return Object.values(COST_METRICS).find((metric) => metric.tag === tag)?.unit ?? "currency";
  }
  return unit === "" ? "1/s" : unit;
}
