import { networkLatencyLines } from "../../report/export/summary/network_latency_lines.ts";
import {
  artifactNames,
  GATE_FILES,
  gpuTelemetryName,
  networkLatencyName,
} from "../../report/export/artifact_names.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { joinedTimeline } from "../../report/model/gpu_timeline.ts";
import { profileCsv, slicesCsv } from "../../report/export/summary/profile_csv.ts";
import { profileJson, shortestProfileJson } from "../../report/export/summary/profile_json.ts";
import { sessionLines } from "../../report/export/summary/session_lines.ts";
import { slicesJson } from "../../report/export/summary/slices_json.ts";
import { reportPage } from "../../report/html/report_page.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import type { FinishedRun } from "./finished_run.ts";
import { LARGE_RUN } from "./large_run.ts";
import { runViewOf, type ServerView } from "./run_view_of.ts";
import { withFailure } from "./with_failure.ts";

/** Contents of a summary besides the run itself. */
export interface SummaryContext extends ServerView {
  /** Names of the files of records and server metrics that there are. */
  readonly recordFiles: readonly string[];
  /** Names of further files of the run. */
  readonly otherFiles: readonly string[];
  /** Whether the page of the report is made. */
  readonly withPage: boolean;
  /** Called with the number of files before those of the summary are made. */
  onWriting?(files: number): void;
}

/** A summary whose files are written. */
export interface WrittenSummary {
  /** It lists the files that are there. */
  readonly report: ProfileReport;
  /** Why a file could not be written; undefined if all are there. */
  readonly failure: string | undefined;
}

/** A file of the summary, and what makes it. */
type FileText = readonly [name: string, text: () => Iterable<string>];

/**
 * Makes the report of a run and writes its summary files. They depend on what is given here alone,
 * so that the same records make the same files again.
 */
export async function writeSummary(
  run: FinishedRun,
  sink: FileSink,
  context: SummaryContext,
): Promise<WrittenSummary> {
  const { facts, records, summary, gpu, ahead } = run;
  const names = artifactNames(facts.plan.output.prefix);
  const files = fileNames(run, context);
  context.onWriting?.(files.length);
  const { metrics } = context;
  const report = buildProfileReport(records, facts, summary, files, metrics, gpu?.report, ahead);
  const summaryJson = profileJson(report);
  let failure = await tryToWrite(sink, names.json, [summaryJson]);
  const isSummaryMissing = failure !== undefined &&
    await tryToWrite(sink, names.json, [shortestProfileJson(withFailure(report, failure))]) !==
      undefined;
  const missing = new Set(isSummaryMissing ? [names.json] : []);
  const tables = [
    ...tableTexts(run, report),
    ...(hasGates(run) ? await gateFileTexts(report) : []),
  ];
  const pages = context.withPage ? await pageTexts(run, report, summaryJson, context) : [];
  // Together: to have one safely on the disk takes as long as to make the next one. But the pages of
  // a large run take seconds, and whoever waits for figures need not wait for them.
  const isLarge = records.profiling.length >= LARGE_RUN;
  for (const texts of isLarge ? [tables, pages] : [[...tables, ...pages]]) {
    const problems = await Promise.all(texts.map(async ([name, text]) => {
      const problem = await tryToWrite(sink, name, text());
      if (problem !== undefined) missing.add(name);
      return problem;
    }));
    failure ??= problems.find((problem) => problem !== undefined);
  }
  return { report: withFailure(withoutFiles(report, missing), failure), failure };
}

/** A report that does not list files which could not be written. */
export function withoutFiles(report: ProfileReport, missing: ReadonlySet<string>): ProfileReport {
  return missing.size === 0
    ? report
    : { ...report, files: report.files.filter((name) => !missing.has(name)) };
}

function hasGates({ facts: { plan: { slos = [] } } }: FinishedRun): boolean {
  return slos.length > 0;
}

/** All files of the run, as its report lists them. */
function fileNames(
  run: FinishedRun,
  { withPage, recordFiles, otherFiles }: SummaryContext,
): string[] {
  const { facts: { plan }, records, gpu } = run;
  const { prefix, sliceNs } = plan.output;
  const names = artifactNames(prefix);
  return [
    names.json,
    names.csv,
    ...(withPage ? [names.page] : []),
    ...(withPage && records.profiling.hasTurns ? [names.conversations] : []),
    ...(records.profiling.hasTurns ? [names.sessions] : []),
    ...recordFiles,
    ...(gpu === undefined ? [] : [gpuTelemetryName(prefix)]),
    ...(plan.networkLatency?.kind === "probe" ? [networkLatencyName(prefix)] : []),
    ...(sliceNs === undefined ? [] : [names.slicesJson, names.slicesCsv]),
    ...(hasGates(run) ? Object.values(GATE_FILES) : []),
    ...otherFiles,
  ];
}

/** The files of figures besides the summary itself. */
function tableTexts(
  { facts, records, summary, gpu }: FinishedRun,
  report: ProfileReport,
): FileText[] {
  const { output: { prefix, sliceNs }, networkLatency: network } = facts.plan;
  const names = artifactNames(prefix);
  const texts: FileText[] = [[names.csv, () => [profileCsv(report)]]];
  if (network?.kind === "probe") {
    texts.push([
      networkLatencyName(prefix),
      () => networkLatencyLines(summary.networkSamples ?? [], network.targets, facts.baseEpochNs),
    ]);
  }
  if (records.profiling.hasTurns) {
    texts.push([
      names.sessions,
      () => sessionLines(records.profiling, facts.baseEpochNs),
    ]);
  }
  if (gpu !== undefined) texts.push([gpuTelemetryName(prefix), () => gpu.lines()]);
  if (sliceNs !== undefined) {
    texts.push([names.slicesJson, () => [slicesJson(report)]]);
    texts.push([names.slicesCsv, () => [slicesCsv(report.slices)]]);
  }
  return texts;
}

async function pageTexts(
  run: FinishedRun,
  report: ProfileReport,
  summaryJson: string,
  { metrics, timeline }: ServerView,
): Promise<FileText[]> {
  const names = artifactNames(run.facts.plan.output.prefix);
  const view = runViewOf(run, report, {
    metrics,
    timeline: joinedTimeline(timeline, run.gpu?.timeline),
  });
  const { sessions } = report;
  const texts: FileText[] = [[
    names.page,
    () =>
      reportPage(view, {
        ...{ summaryJson, summaryName: names.json },
        conversationsName: sessions && names.conversations,
      }),
  ]];
  if (sessions !== undefined) {
    // Loaded only where there are some, as is what gates need.
    const { conversationsPage } = await import("../../report/html/conversations_page.ts");
    const page = { report, sessions, reportName: names.page };
    texts.push([names.conversations, () => conversationsPage(page)]);
  }
  return texts;
}

async function gateFileTexts(report: ProfileReport): Promise<FileText[]> {
  const { gateTexts } = await import("../../report/export/verdicts/gate_texts.ts");
  return gateTexts(report.gates, `inferometer ${report.model}`, report);
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
