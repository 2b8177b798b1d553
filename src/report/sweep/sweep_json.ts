import { boundOrNull } from "../../core/statistics/unbounded.ts";
import { jsonText } from "../../core/files/json_text.ts";
import { onlyRun, type PointResults } from "./point_results.ts";
import { MIN_RUNS, type PointFigure } from "./shown_statistics.ts";
import { judgedPoints, type PointDiagnosis } from "./judged_points.ts";
import { figureError } from "./point_error.ts";
import { firstReason } from "../../core/run_end/end_reason.ts";
import { isSuccessful } from "./run_figures.ts";
import { analyzeSweep, type BestPoint, type SweepAnalysis } from "./sweep_analysis.ts";
import type { FrontAxis } from "./sweep_front.ts";
import type { SweepResults } from "./sweep_results.ts";

/**
 * Returns `profile_export_aiperf_sweep.json`: AIPerf's keys, followed by additional ones.
 * Statistics have keys `<metric>_<statistic>`, which AIPerf uses for several runs of a point.
 * Statistics of a single run are also under the metric's key, which AIPerf uses for one run.
 */
export function sweepJson(results: SweepResults): string {
  const { manifest, points } = results;
  const analysis = analyzeSweep(points);
  const judged = judgedPoints(points);
  return `${
    jsonText({
      "aggregation_type": "sweep",
      ...runCounts(points),
      "metadata": {
        "sweep_parameters": sweepParameters(results),
        "num_combinations": points.length,
        "sweep_mode": manifest.shape.mode,
        "confidence_level": manifest.confidenceLevel,
        "num_trials_per_value": Math.max(0, ...points.map(({ runs }) => runs.length)),
        "aggregation_type": "sweep",
        "sweep_type": manifest.sweepType,
        "pareto_objectives": paretoObjectives(analysis),
        "is_complete": manifest.isComplete,
        "aiperf_version": manifest.product,
        "cli_command": manifest.command,
        "notes": manifest.notes,
      },
      "per_combination_metrics": judged.filter(({ result }) => result.successful.length > 0).map((
        { diagnosis, isOnFront, result: point },
      ) => ({
        "parameters": point.point.values,
        "metrics": metricsObject(point),
        "pareto_optimal": isOnFront,
        "num_profile_runs": point.runs.length,
        "num_successful_runs": point.successful.length,
        "folders": point.runs.map(({ folder }) => folder),
        "requests": requestCounts(point),
        "ended_early_reason": firstReason(...point.runs.map(({ figures }) => figures?.endReason)) ??
          null,
        ...(point.error === undefined ? {} : { "measurement_error": point.error }),
        ...partObject(point, diagnosis),
      })),
      "best_configurations": {
        ...bestObject("best_throughput", analysis.bestThroughput),
        ...bestObject("best_latency_p99", analysis.bestLatency),
      },
      "pareto_optimal": judged.filter(({ isOnFront }) => isOnFront).map(({ settings }) => settings),
      "ranking": {
        ...rankingObject("throughput", analysis.bestThroughput),
        ...rankingObject("latency_p99", analysis.bestLatency),
      },
    })
  }\n`;
}

/** Returns the number of runs, and which failed. */
export function runCounts(points: readonly PointResults[]): Record<string, unknown> {
  const runs = points.flatMap(({ runs }) => runs);
  return {
    "num_profile_runs": runs.length,
    "num_successful_runs": points.reduce((sum, { successful }) => sum + successful.length, 0),
    "failed_runs": runs.flatMap(({ folder, figures }) =>
      figures === undefined || isSuccessful(figures) ? [] : [{
        "label": folder,
        "error": figures.endedEarly ?? failureOf(figures.wasCancelled),
        "ended_early_reason": figures.endReason ?? null,
      }]
    ),
  };
}

function failureOf(wasCancelled: boolean): string {
  return wasCancelled ? "it was interrupted" : "no request succeeded";
}

/** The parameters that vary, each with its values in their order. */
export function sweepParameters(
  { points }: SweepResults,
): { readonly name: string; readonly values: readonly number[] }[] {
  const names = Object.keys(points[0]?.point.values ?? {});
  return names.map((name) => ({
    name,
    values: [...new Set(points.map(({ point }) => point.values[name] as number))],
  }));
}

function paretoObjectives({ front: { axes } }: SweepAnalysis): unknown[] {
  if (axes === undefined) return [];
  return [axes.gain, axes.other].map(axisObject);
}

/** An axis of the frontier. */
export function axisObject({ direction, key }: FrontAxis): Record<string, string> {
  return { "metric": key, "direction": direction };
}

function requestCounts({ successful }: PointResults): Record<string, number> {
  const total = (of: "sent" | "succeeded" | "failed"): number =>
    successful.reduce((sum, { requests }) => sum + requests[of], 0);
  return { "sent": total("sent"), "succeeded": total("succeeded"), "failed": total("failed") };
}

function metricsObject(point: PointResults): Record<string, unknown> {
  const plain = onlyRun(point);
  return {
    ...Object.fromEntries([...plain ?? []].map(([tag, { unit, stats }]) => {
      const mean = stats["avg"] as number;
      const { min = mean, max = mean } = stats;
      return [tag, {
        "mean": mean,
        ...stats,
        // Of one run there is no spread over runs.
        ...{ "std": 0, "min": min, "max": max, "cv": 0, "ci_low": mean, "ci_high": mean },
        "unit": unit,
      }];
    })),
    ...Object.fromEntries(
      [...point.figures].map(([key, figure]) => [key, {
        ...figureObject(figure),
        ...figureError(point, key),
      }]),
    ),
  };
}

/** A statistic over the runs of a point, in AIPerf's keys. */
export function figureObject(figure: PointFigure): Record<string, unknown> {
  return {
    "mean": figure.mean,
    "std": figure.std,
    "min": figure.min,
    "max": figure.max,
    "cv": figure.cv,
    "se": figure.se,
    "ci_low": figure.ciLow,
    "ci_high": figure.ciHigh,
    "t_critical": figure.tCritical,
    "unit": figure.unit,
  };
}

/** The confidence intervals of statistics, as far as they are known. */
export function intervalsObject(shown: PointResults["shown"]): Record<string, unknown> {
  return Object.fromEntries(
    [...shown].flatMap(([key, { sampling }]) =>
      sampling === undefined ? [] : [[key, { ...sampling, "upper": boundOrNull(sampling.upper) }]]
    ),
  );
}

/** The shown part of a point: its window, statistics with intervals, load and diagnosis. */
export function partObject(
  { runs, shown, successful, window }: PointResults,
  diagnosis: PointDiagnosis | undefined,
): Record<string, unknown> {
  const last = runs.findLast(({ figures }) => figures?.load !== undefined)?.figures;
  return {
    "window": window,
    "window_metrics": Object.fromEntries([...shown].map(([key, { mean }]) => [key, mean])),
    "sampling_error": intervalsObject(shown),
    "interval_from": successful.length >= MIN_RUNS ? "runs" : "requests",
    "load": last?.load ?? null,
    "diagnosis": diagnosis ?? null,
  };
}

/** Which point is the best in something: none where intervals overlap. */
function rankingObject(name: string, best: BestPoint | undefined): Record<string, unknown> {
  if (best === undefined) return {};
  const { result, tied, unit, value } = best;
  return {
    [name]: {
      "best": tied.length === 0 ? result.point.values : null,
      "not_significant": tied.length === 0
        ? []
        : [result, ...tied].map(({ point }) => point.values),
      "metric": value,
      "unit": unit,
      "window": result.window,
    },
  };
}

/** Only a point that is the best beyond its interval is named. */
function bestObject(name: string, best: BestPoint | undefined): Record<string, unknown> {
  if (best === undefined || best.tied.length > 0) return {};
  const { result, value, unit } = best;
  return { [name]: { "parameters": result.point.values, "metric": value, "unit": unit } };
}
