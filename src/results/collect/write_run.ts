import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Redactor } from "../../core/secrets/redactor.ts";
import type { PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import { consoleReport } from "../../report/console/console_report.ts";
import { artifactNames } from "../../report/export/artifact_names.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { inputsJson } from "../../report/export/requests/inputs_json.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { FinishedRun } from "./finished_run.ts";
import type { Screen, WrittenReport } from "./messages.ts";
import type { ServerView } from "./run_view_of.ts";
import { tryToWrite, withoutFiles, writeSummary } from "./write_summary.ts";

/** A file has room for all columns. */
const FILE_SCREEN: Screen = { width: 140, color: false, style: "full" };

/** Results of a run besides its records. */
export interface RunLeavings extends ServerView {
  /** Names of the files that are written already. */
  readonly names: readonly string[];
  /** undefined where they are too many to be written. */
  readonly payloads: PayloadTable | undefined;
  /** Takes secrets out of prompts. */
  readonly redact: Redactor;
  /** The screen that the report is to be drawn for; undefined for none. */
  readonly screen: Screen | undefined;
  /** Called with the number of files before the summaries are made. */
  onWriting(files: number): void;
}

/** Bodies of agent sessions that are written as `inputs.json`, in bytes: each repeats earlier ones. */
const MAX_INPUTS_BYTES = 256 * 1024 * 1024;

/**
 * Writes everything that a run leaves when it is over: the summary files, its prompts, and the
 * console's report. The first failure is reported; it does not keep other files from being tried.
 */
export async function writeRun(
  run: FinishedRun,
  sink: FileSink,
  { names: recordFiles, metrics, timeline, payloads, redact, screen, onWriting }: RunLeavings,
): Promise<WrittenReport> {
  const { plan } = run.facts;
  const { output } = plan;
  const isTooLong = payloads?.data.shared !== undefined && payloads.bodyBytes > MAX_INPUTS_BYTES;
  const inputs = isTooLong ? undefined : payloads;
  const { prefix } = output;
  const names = artifactNames(prefix);
  const otherFiles = inputs === undefined ? [names.console] : [names.inputs, names.console];
  const written = await writeSummary(run, sink, {
    ...{ metrics, timeline, recordFiles, otherFiles, onWriting },
    withPage: output.page,
  });
  const inputsFailure = inputs && await tryToWrite(
    sink,
    names.inputs,
    inputsJson(inputs, configuredType(plan).body, redact, plan),
  );
  const listed = withoutFile(written.report, names.inputs, inputsFailure);
  const consoleFailure = await tryToWrite(sink, names.console, [
    consoleFile(listed, plan, metrics),
  ]);
  const report = withoutFile(listed, names.console, consoleFailure);
  return {
    report,
    screenText: screen === undefined ? "" : consoleText(report, plan, metrics, screen),
    failure: written.failure ?? inputsFailure ?? consoleFailure,
  };
}

function withoutFile(
  report: ProfileReport,
  name: string,
  failure: string | undefined,
): ProfileReport {
  return failure === undefined ? report : withoutFiles(report, new Set([name]));
}

/** The text of the file that keeps the console's report. */
export function consoleFile(
  report: ProfileReport,
  plan: RunPlan,
  metrics: ServerMetricsReport | undefined,
): string {
  return consoleText(report, plan, metrics, FILE_SCREEN);
}

function consoleText(
  report: ProfileReport,
  { output: { directory, showTraceTiming } }: RunPlan,
  metrics: ServerMetricsReport | undefined,
  screen: Screen,
): string {
  return consoleReport(report, {
    ...screen,
    directory,
    traceTiming: showTraceTiming,
    serverMetrics: metrics,
  });
}
