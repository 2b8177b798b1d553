import { figuresOf, type MetricResults } from "../../../measurement/metrics/metric_results.ts";
import { BOUNDED_STATISTICS } from "../../../measurement/own_error/bounded_statistics.ts";
import { boundOrNull } from "../../../core/statistics/unbounded.ts";
import type { SamplingErrors } from "../../../measurement/sampling/sampling_errors.ts";
import type { ProfileReport } from "../../model/profile_report.ts";
import { runValidity } from "../../model/run_validity.ts";
import { shownWindow } from "../../model/shown_window.ts";
import { isExported } from "../metric_object.ts";
import { measurementErrorObject } from "./measurement_error_object.ts";

/** The key `steady_state` of the summary; nothing where requests are not known one by one. */
export function steadyStateObject(report: ProfileReport): Record<string, unknown> {
  const { steady } = report;
  if (steady === undefined) return {};
  if ("none" in steady) return { "steady_state": { "none": steady.none } };
  const { verdict } = runValidity(shownWindow({ ...report, isWholeRunShown: false }));
  return {
    "steady_state": {
      "start_ns": steady.startEpochNs,
      "end_ns": steady.endEpochNs,
      "seconds": steady.seconds,
      "rule": steady.rule,
      "metrics": statisticObjects(steady.results),
      ...samplingErrorObject(steady.sampling),
      ...measurementErrorObject(steady.measurementError),
      "verdict": verdict,
      "censored_requests": steady.censoredRequests,
      "lower_bounds": Object.fromEntries(steady.lowerBounds),
    },
  };
}

/** The key `sampling_error`; nothing where it is not known. */
export function samplingErrorObject(
  sampling: SamplingErrors | undefined,
): Record<string, unknown> {
  if (sampling === undefined) return {};
  const written = [...sampling].map(([tag, statistics]) => [
    tag,
    Object.fromEntries(
      Object.entries(statistics).map((
        [name, interval],
      ) => [name, { ...interval, "upper": boundOrNull(interval.upper) }]),
    ),
  ]);
  return { "sampling_error": Object.fromEntries(written) };
}

/** The key `validity`: what the statistics that are shown are worth. */
export function validityObject(report: ProfileReport): Record<string, unknown> {
  if (report.sampling === undefined) return {};
  const shown = shownWindow(report);
  const { blockers, of, proven, verdict } = runValidity(shown);
  return {
    "validity": {
      "window": shown.name,
      "verdict": verdict,
      "proven": proven,
      "of": of,
      "blockers": blockers,
    },
  };
}

/** The main statistics of each metric. */
function statisticObjects(results: MetricResults): Record<string, unknown> {
  return Object.fromEntries(
    [...results].filter(([, result]) => isExported(result)).map(([tag, result]) => {
      const figures = figuresOf(result);
      return [
        tag,
        Object.fromEntries(
          BOUNDED_STATISTICS.filter((name) => figures[name] !== undefined)
            .map((name) => [name, figures[name]]),
        ),
      ];
    }),
  );
}
