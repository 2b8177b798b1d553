import type { SessionFacts } from "../../measurement/metrics/session_book.ts";
import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { submissionOf, type SubmittedRun } from "../../report/model/submission.ts";
import { runValidity } from "../../report/model/run_validity.ts";
import type { ShownWindow } from "../../report/model/shown_window.ts";
import type { ProfileReport, RequestCounts } from "../../report/model/profile_report.ts";
import type { RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";

/** Scenario of --scenario. */
type Scenario = Parameters<typeof submissionOf>[0] | undefined;

/** A run of recorded sessions. */
export interface ReplayedRun {
  readonly records: RunRecords;
  readonly summary: RunSummary;
  readonly requests: RequestCounts;
  /** Results by which it is checked. */
  readonly window: ShownWindow;
}

/**
 * Whether a run of recorded sessions meets its scenario, with the reasons if not.
 * @param scenario undefined for a run without a scenario, which has no result: null
 */
export function submissionOfRun(
  scenario: Scenario,
  { records, window, summary, requests }: ReplayedRun,
): ProfileReport["submission"] {
  if (scenario === undefined) return null;
  const { errors, profiling, tokens: { lengthMismatch } } = records;
  return submissionOf(scenario, {
    ...{ requests, errors: errors.all, lengthMismatch, window: window.name },
    isOwnErrorExceeded: runValidity(window).verdict === "invalid",
    isCutShort: summary.wasCancelled || summary.endedEarly !== undefined,
    seconds: (summary.endNs - summary.startNs) / 1e9,
    ...replayFacts(profiling, window.results),
  });
}

/** How sessions were replayed, as scenarios limit it. */
function replayFacts(
  { sessionBook }: RecordTable,
  results: MetricResults,
): Pick<SubmittedRun, "outputShare" | "hasWrapped"> {
  let [tokens, calls, hasWrapped] = [0, 0, false];
  for (const line of sessionBook.lines()) {
    const { recordedOutput = NaN, calls: names = [], pass } = JSON.parse(line) as SessionFacts;
    tokens += recordedOutput * names.length;
    calls += names.length;
    hasWrapped ||= pass > 0;
  }
  const mean = distributionOf(results, "output_sequence_length")?.avg ?? NaN;
  return { outputShare: mean / (tokens / calls), hasWrapped };
}
