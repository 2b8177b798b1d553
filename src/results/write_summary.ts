import { artifactNames } from "../export/artifact_names.ts";
import { ExportError } from "../export/export_error.ts";
import type { FileSink } from "../export/file_sink.ts";
import { profileCsv, slicesCsv } from "../export/profile_csv.ts";
import { profileJson } from "../export/profile_json.ts";
import { slicesJson } from "../export/slices_json.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";

/** A run that is over. */
export interface FinishedRun {
  readonly facts: RunFacts;
  readonly records: RunRecords;
  readonly summary: RunSummary;
}

/** Contents of a summary besides the run itself. */
export interface SummaryContext {
  /** The servers' metrics; undefined if they were not collected. */
  readonly metrics: ServerMetricsReport | undefined;
  /** Names of the files of records and server metrics that there are. */
  readonly recordFiles: readonly string[];
  /** Names of further files of the run. */
  readonly otherFiles: readonly string[];
  /** Called with the number of files before those of the summary are made. */
  onWriting?(files: number): void;
}

/** A summary whose files are written. */
export interface WrittenSummary {
  readonly report: ProfileReport;
  /** Why a file could not be written; undefined if all are there. */
  readonly failure: string | undefined;
}

/**
 * Makes the report of a run and writes its summary files. They depend on what is given here alone,
 * so that the same records make the same files again.
 */
export async function writeSummary(
  { facts, records, summary }: FinishedRun,
  sink: FileSink,
  { metrics, recordFiles, otherFiles, onWriting }: SummaryContext,
): Promise<WrittenSummary> {
  const { prefix, sliceNs } = facts.plan.output;
  const names = artifactNames(prefix);
  const withSlices = sliceNs !== undefined;
  const files = [
    names.json,
    names.csv,
    ...recordFiles,
    ...(withSlices ? [names.slicesJson, names.slicesCsv] : []),
    ...otherFiles,
  ];
  onWriting?.(files.length);
  const report = buildProfileReport(records, facts, summary, files, metrics);
  const texts: [name: string, text: () => string][] = [
    [names.json, () => profileJson(report)],
    [names.csv, () => profileCsv(report)],
  ];
  if (withSlices) {
    texts.push([names.slicesJson, () => slicesJson(report)]);
    texts.push([names.slicesCsv, () => slicesCsv(report.slices)]);
  }
  let failure: string | undefined;
  for (const [name, text] of texts) {
    const problem = await tryToWrite(sink, name, [text()]);
    failure ??= problem;
  }
  return { report, failure };
}

/**
 * Writes a file. One that cannot be written does not keep others from being tried.
 * @returns why it could not be written; undefined if it is there
 */
export async function tryToWrite(
  sink: FileSink,
  name: string,
  pieces: Iterable<string | Uint8Array>,
): Promise<string | undefined> {
  try {
    await sink.write(name, pieces);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    return error.message;
  }
}
