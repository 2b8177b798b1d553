import { jsonText } from "../../core/files/json_text.ts";
import { timeParts } from "../model/time_parts.ts";
import { type JudgedPoint, judgedPoints } from "./judged_points.ts";
import type { PointResults } from "./point_results.ts";
import type { SessionCounts } from "./run_figures.ts";
import { MIN_RUNS } from "./shown_statistics.ts";
import { sweepFront } from "./sweep_front.ts";
import { axisObject, intervalsObject, sweepParameters } from "./sweep_json.ts";
import { type SweepResults, sweptGpus, sweptModel } from "./sweep_results.ts";

/**
 * Returns `sweep_export.json`: every point with its settings, the statistics of the part of its runs that
 * is shown with their intervals, what limits it, and whether it is on the frontier or a knee.
 */
export function sweepExport(results: SweepResults): string {
  const { manifest, points } = results;
  const { axes } = sweepFront(points);
  return `${
    jsonText({
      "schema_version": "1.0",
      "product": manifest.product,
      "model": sweptModel(results),
      "parameters": sweepParameters(results),
      "gpus": sweptGpus(results) ?? null,
      "frontier_axes": axes === undefined ? null : [axes.gain, axes.other].map(axisObject),
      "points": judgedPoints(points).map(pointObject),
      "confidence_level": manifest.confidenceLevel,
      "is_complete": manifest.isComplete,
      "cli_command": manifest.command,
      "notes": manifest.notes,
    })
  }\n`;
}

/** Acceptance of drafts at a point; null without drafts. */
function speculationObject(evidence: JudgedPoint["evidence"]): Record<string, unknown> | null {
  const { acceptanceLength, acceptanceRate, tokensPerStep } = evidence ?? {};
  return acceptanceRate === undefined && acceptanceLength === undefined ? null : {
    "acceptance_rate": acceptanceRate ?? null,
    "acceptance_length": acceptanceLength ?? null,
    "tokens_per_step": tokensPerStep ?? null,
  };
}

/** Sessions of the successful runs by their ends; null where each session is one request. */
function sessionsObject({ successful }: PointResults): Record<string, number> | null {
  const counts = successful.flatMap(({ sessions }) => sessions ?? []);
  const sum = (name: keyof SessionCounts): number =>
    counts.reduce((total, one) => total + one[name], 0);
  return counts.length === 0 ? null : {
    "started": sum("started"),
    "completed": sum("completed"),
    "failed": sum("failed"),
    "cut_off": sum("cutOff"),
  };
}

function pointObject(point: JudgedPoint): Record<string, unknown> {
  const { result, diagnosis, evidence, settings, verdict } = point;
  const { runs, shown, successful, window } = result;
  return {
    "settings": settings,
    "window": window,
    "metrics": Object.fromEntries([...shown].map(([key, { mean }]) => [key, mean])),
    "units": Object.fromEntries([...shown].map(([key, { unit }]) => [key, unit])),
    "intervals": intervalsObject(shown),
    "interval_from": successful.length >= MIN_RUNS ? "runs" : "requests",
    "load": runs.findLast(({ figures }) => figures?.load !== undefined)?.figures?.load ?? null,
    "diagnosis": diagnosis ?? null,
    "verdict": verdict ?? null,
    "on_frontier": point.isOnFront,
    "knee": point.isKnee,
    "time_parts": evidence === undefined
      ? []
      : timeParts(evidence).map(({ ms, name, source }) => ({ "name": name, "ms": ms, source })),
    "speculation": speculationObject(evidence),
    "sessions": sessionsObject(result),
    "runs": runs.length,
    "successful_runs": successful.length,
    "folders": runs.map(({ folder }) => folder),
  };
}
