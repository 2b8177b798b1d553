import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { JudgedWindow } from "../../measurement/sampling/cell_verdict.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";
import type { ProfileReport } from "./profile_report.ts";
import { steadyResults } from "./steady_state.ts";
import type { WindowName } from "./window_name.ts";

/** Results that are shown and evaluated. */
export interface ShownWindow {
  readonly name: WindowName;
  /** Results of the steady state, and of the whole run what the steady state does not have. */
  readonly results: MetricResults;
  readonly measurementError: MeasurementError | undefined;
  readonly sampling: SamplingErrors;
}

/**
 * The results of a run that its console, report, gates, sweeps and comparisons use: those of the steady
 * state where one exists and the user did not ask for the whole run.
 */
export function shownWindow(
  report: Pick<
    ProfileReport,
    "results" | "measurementError" | "sampling" | "steady" | "isWholeRunShown"
  >,
): ShownWindow {
  const steady = report.isWholeRunShown === true ? undefined : steadyResults(report.steady);
  if (steady !== undefined) {
    // Of the steady state there are no sessions: those of the whole run have their own intervals.
    const ofRun = <T>(known: ReadonlyMap<MetricTag, T> | undefined): [MetricTag, T][] =>
      [...known ?? []].filter(([tag]) => tag.startsWith("session") || tag.startsWith("jobs_"));
    return {
      name: "steady",
      results: new Map([...report.results, ...steady.results]),
      measurementError: steady.measurementError && {
        ...steady.measurementError,
        metrics: new Map([
          ...ofRun(report.measurementError?.metrics),
          ...steady.measurementError.metrics,
        ]),
      },
      sampling: new Map([...ofRun(report.sampling), ...steady.sampling]),
    };
  }
  const { measurementError, results, sampling = new Map() } = report;
  return { name: "run", results, measurementError, sampling };
}

/** Returns the window in the form in which its statistics are evaluated. */
export function judgedWindow({ measurementError, sampling }: ShownWindow): JudgedWindow {
  return { bounds: measurementError?.metrics ?? new Map(), sampling };
}
