import { finiteOrNull } from "../../../core/files/finite_or_null.ts";
import { USER_AGENT } from "../../../config/plan/version.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import type { FrontierStep, SpeedRange } from "../../../measurement/compare/frontier_difference.ts";
import { frontierFinding } from "../../../measurement/compare/frontier_finding.ts";
import {
  type SidePoint,
  stepVerdict,
  type SweepComparison,
} from "../../../measurement/compare/sweep_comparison.ts";
import { differenceObject, quietObject } from "./comparison_json.ts";

/** `compare.json`: two sweeps point by point, and along their frontiers. */
export function sweepComparisonJson(comparison: SweepComparison): string {
  const { frontier: { ranges, steps }, isPerGpu, sides } = comparison;
  return `${
    jsonText({
      "schema_version": "1.0",
      "product": USER_AGENT,
      "a": comparison.before,
      "b": comparison.after,
      "comparable": comparison.isComparable,
      "finding": frontierFinding(comparison).text,
      "points": comparison.points.map(({ differences, quiet, runs, settings, window }) => ({
        "settings": settings,
        "window": window,
        "runs": { "a": runs.before, "b": runs.after },
        "differences": differences.map(differenceObject),
        ...quietObject(quiet),
      })),
      "only_a": comparison.onlyBefore,
      "only_b": comparison.onlyAfter,
      "throughput": {
        "metric": isPerGpu ? "tokens_per_gpu_avg" : "output_token_throughput_avg",
        "unit": isPerGpu ? "tokens/sec/GPU" : "tokens/sec",
      },
      "frontier": steps.map((step) => stepObject(step, comparison)),
      "range": {
        "both": rangeObject(ranges.both),
        "a": rangeObject(ranges.before),
        "b": rangeObject(ranges.after),
      },
      "sides": {
        "a": sides.before.map(pointObject),
        "b": sides.after.map(pointObject),
      },
      "notes": comparison.notes,
    })
  }\n`;
}

function stepObject(step: FrontierStep, comparison: SweepComparison): Record<string, unknown> {
  return {
    "interactivity": step.speed,
    "a": step.before,
    "b": step.after,
    "difference": step.difference,
    "lower": finiteOrNull(step.lower),
    "upper": finiteOrNull(step.upper),
    "verdict": stepVerdict(step, comparison),
  };
}

function pointObject(point: SidePoint): Record<string, unknown> {
  const { isOnFront, rate, rateInterval, runs, settings, speed, speedInterval } = point;
  return {
    "settings": settings,
    "interactivity": finiteOrNull(speed),
    "interactivity_interval": speedInterval.map(finiteOrNull),
    "throughput": finiteOrNull(rate),
    "throughput_interval": rateInterval.map(finiteOrNull),
    "on_frontier": isOnFront,
    "runs": runs,
  };
}

function rangeObject(range: SpeedRange | undefined): readonly number[] | null {
  return range ?? null;
}
