import type { PayloadTable } from "../dataset/payload_table.ts";
import { artifactNames } from "../export/artifact_names.ts";
import { ExportError } from "../export/export_error.ts";
import type { FileSink } from "../export/file_sink.ts";
import { inputsJson } from "../export/inputs_json.ts";
import { profileCsv, slicesCsv } from "../export/profile_csv.ts";
import { profileJson } from "../export/profile_json.ts";
import { slicesJson } from "../export/slices_json.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import { consoleReport } from "../ui/console_report.ts";
import type { RunSummary, WrittenReport } from "./messages.ts";
import type { ResultsStore } from "./results_store.ts";

/** Width of the console's copy in a file. */
const FILE_WIDTH = 140;

/** What was there before the report. */
export interface WrittenBefore {
  /** Names of the files that are written already. */
  readonly names: readonly string[];
  /** What the servers said; undefined if nobody asked. */
  readonly metrics: ServerMetricsReport | undefined;
}

/**
 * Makes the report of a run and writes all files that derive from it. A file that cannot be written
 * does not keep the others from being tried; the first failure is told.
 */
export async function writeReport(
  plan: RunPlan,
  store: ResultsStore,
  summary: RunSummary,
  payloads: PayloadTable,
  sink: FileSink,
  before: WrittenBefore,
): Promise<WrittenReport> {
  const names = artifactNames(plan.output.prefix);
  const withSlices = plan.output.sliceNs !== undefined;
  const files = [
    names.json,
    names.csv,
    ...before.names,
    ...(withSlices ? [names.slicesJson, names.slicesCsv] : []),
    names.inputs,
    names.console,
  ];
  const { metrics } = before;
  const report = store.report(summary, files, metrics);
  let failure: string | undefined;
  const write = async (name: string, pieces: () => Iterable<string | Uint8Array>) => {
    try {
      await sink.write(name, pieces());
    } catch (error) {
      if (!(error instanceof ExportError)) throw error;
      failure ??= error.message;
    }
  };
  await write(names.json, () => [profileJson(report)]);
  await write(names.csv, () => [profileCsv(report)]);
  if (withSlices) {
    await write(names.slicesJson, () => [slicesJson(report)]);
    await write(names.slicesCsv, () => [slicesCsv(report.slices)]);
  }
  await write(names.inputs, () => inputsJson(payloads));
  const draw = (width: number, color: boolean): string =>
    consoleReport(report, {
      width,
      color,
      directory: plan.output.directory,
      traceTiming: plan.output.showTraceTiming,
      serverMetrics: metrics,
    });
  await write(names.console, () => [draw(FILE_WIDTH, false)]);
  const { screen } = summary;
  return {
    report,
    screenText: screen === undefined ? "" : draw(screen.width, screen.color),
    failure,
  };
}
