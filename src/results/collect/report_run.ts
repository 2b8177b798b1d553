import { gpuStore, type GpuTelemetry, gpuTelemetry } from "./gpu_telemetry.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";
import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import { artifactNames, serverMetricsName } from "../../report/export/artifact_names.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { inputConfig } from "../../report/export/summary/input_config.ts";
import { type FoundAhead, summariesOf } from "../../measurement/metrics/found_ahead.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { RowsCursor } from "../../measurement/metrics/rows_cursor.ts";
import type { ServerMetricsPlan } from "../../config/plan/server_metrics_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import {
  finishMetrics,
  type MetricsFacts,
  metricsReport,
  type MetricsSpan,
} from "../server_metrics/finish_metrics.ts";
import { MetricsStore } from "../server_metrics/metrics_store.ts";
import { NumberStore } from "../../core/statistics/number_store.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import { Extent } from "./extent.ts";
import type { FinishedRun } from "./finished_run.ts";
import { HUGE_RUN } from "./large_run.ts";
import { type LevelsClient, startLevels } from "./levels_client.ts";
import { levelsOfFolder } from "./levels_of_folder.ts";
import { RUN_FILES } from "./run_files.ts";
import type { RunFolder } from "./run_folder.ts";
import type { PhaseFacts, RunFacts, RunManifest, RunSummary } from "./run_manifest.ts";
import { RunRecords } from "./run_records.ts";
import { writeSummary, type WrittenSummary } from "./write_summary.ts";

/** A run that was reported again. */
export interface ReportedRun extends WrittenSummary {
  readonly facts: RunFacts;
  readonly metrics: ServerMetricsReport | undefined;
}

/**
 * Makes the summary files of a run again from its folder, byte for byte; of a run that was killed,
 * partial ones that say so.
 * @param levels finds some of it meanwhile
 * @throws {RunFolderError} if the folder cannot be read
 */
export async function reportRun(
  folder: RunFolder,
  sink: FileSink,
  levels: LevelsClient | undefined = startLevels(folder),
): Promise<ReportedRun> {
  try {
    return await reportWith(levels, folder, sink);
  } finally {
    levels?.end();
  }
}

async function reportWith(
  levels: LevelsClient | undefined,
  folder: RunFolder,
  sink: FileSink,
): Promise<ReportedRun> {
  const { facts: { plan: { output: { sliceNs } } }, summary: { sent = 0 } = {} } = folder.manifest;
  // Slices need the gaps of each request, and so does the steady state.
  const poolsGaps = levels === undefined || sliceNs !== undefined || sent < HUGE_RUN;
  const run = readRun(folder, sink, poolsGaps);
  const { facts } = run;
  const { plan } = facts;
  const metrics = run.metrics && await finishMetrics(
    run.metrics.store,
    run.metrics.facts,
    run.metrics.span,
    sink,
  );
  const names = artifactNames(plan.output.prefix);
  const present = (...wanted: readonly string[]) => wanted.filter((name) => folder.files.has(name));
  const ahead = levels && await foundAhead(folder, run.records.profiling, poolsGaps, levels);
  const written = await writeSummary({ ...run, ahead }, sink, {
    metrics: metrics?.report,
    timeline: metrics?.timeline ?? [],
    withPage: true,
    recordFiles: [
      ...present(names.records, names.rawRecords),
      ...metrics?.files ?? [],
      ...present(serverMetricsName(plan.output.prefix, "jsonl")),
    ],
    otherFiles: present(names.inputs, names.console),
  });
  return {
    ...written,
    facts,
    metrics: metrics?.report,
    failure: metrics?.failure ?? written.failure,
  };
}

/** Summaries, which this thread finds meanwhile, and what the other one finds. */
async function foundAhead(
  folder: RunFolder,
  table: RecordTable,
  poolsGaps: boolean,
  levels: LevelsClient,
): Promise<FoundAhead> {
  const summaries = summariesOf(table);
  table.release();
  const found = await levels.found;
  // What it holds of a large run is wanted for what comes next.
  levels.end();
  const aside = found ?? (poolsGaps ? undefined : levelsOfFolder(folder));
  return { summaries, levels: aside?.levels, gaps: poolsGaps ? undefined : aside?.gaps };
}

/**
 * The report of a run, of which nothing is written; its files are those that are there.
 * @throws {RunFolderError} if the folder cannot be read
 */
export function reportOf(folder: RunFolder): ProfileReport {
  const { facts, records, summary, metrics, gpu } = readRun(folder);
  const servers = metrics && metricsReport(metrics.store, metrics.facts, metrics.span);
  return buildProfileReport(
    records,
    facts,
    summary,
    [...folder.files].sort(),
    servers,
    gpu?.report,
  );
}

/** A run as its folder tells of it. */
export interface ReadRun extends FinishedRun {
  /** What its servers' metrics are made of; undefined if they were not collected. */
  readonly metrics:
    | {
      readonly store: MetricsStore;
      readonly facts: MetricsFacts;
      readonly span: MetricsSpan;
    }
    | undefined;
}

/**
 * Reads a run from its folder.
 * @param scratch where samples go that memory should not hold; everything is in memory without it
 * @param poolsGaps whether gaps between chunks are pooled
 * @throws {RunFolderError} if the folder cannot be read
 */
export function readRun(
  folder: RunFolder,
  scratch?: Pick<FileSink, "openScratch">,
  poolsGaps = true,
): ReadRun {
  const { facts, phases } = folder.manifest;
  const { plan } = facts;
  const openScratch = scratch?.openScratch?.bind(scratch);
  const store = new NumberStore(openScratch);
  const records = new RunRecords(plan, configuredType(plan), facts.hasImages, store, poolsGaps);
  const extent = new Extent();
  takeIn(folder, records, extent);
  const summary = folder.manifest.summary ?? killedSummary(folder.manifest, extent);
  const metrics = serverMetricsOf(folder, records, summary, scratch);
  const gpu = gpuTelemetryOf(folder, records.profilingWindow(summary), scratch);
  const notes = [...summary.notes, ...lossNotes(folder)];
  return { facts, phases, records, summary: { ...summary, notes }, metrics, gpu };
}

/** What a run has lost since it ended; what one that was killed leaves ends anywhere. */
function lossNotes(
  { foreignFiles = new Set(), lossyFiles = new Set(), manifest: { isChanged, summary } }: RunFolder,
): string[] {
  if (summary === undefined) return [];
  // How many records are missing is told of a complete run.
  const names = [...lossyFiles].filter((name) => name !== RUN_FILES.records || !summary.isComplete);
  return [
    ...names.sort().map((name) =>
      `${name} is damaged; unreadable records are excluded from all statistics`
    ),
    ...[...foreignFiles].sort().map((name) =>
      `${name} belongs to another run: values of two runs are mixed`
    ),
    ...(isChanged ? [`${RUN_FILES.manifest} was modified: its values may be wrong`] : []),
  ];
}

function takeIn(folder: RunFolder, records: RunRecords, extent: Extent): void {
  const cursor = new RowsCursor();
  for (const stretch of folder.rows()) {
    cursor.setRows(stretch);
    records.addRows(cursor);
    extent.add(stretch);
  }
  for (const stretch of folder.straddling?.() ?? []) {
    cursor.setRows(stretch);
    records.addStraddling(cursor);
  }
  for (const line of folder.sessionLines()) records.profiling.sessionBook.addLine(line);
  for (const { worker, rows } of folder.canaries()) records.canaries.add(worker, rows);
}

/** The summary of a run that was killed, by what its records say. */
export function killedSummary(
  { changes, phases, summary }: RunManifest,
  extent: Extent,
): RunSummary {
  const phase = phases.findLast(({ kind }) => kind === "profiling");
  return {
    wasCancelled: true,
    isComplete: false,
    endReason: "killed",
    ...windowOf(phase, extent),
    sent: extent.count,
    unsentArrivals: 0,
    loopLagMs: [],
    cpuCores: NaN,
    changes,
    stolen: summary?.stolen,
    notes: [
      "The run was killed, or its disk was full, before its end was written: this is what had been " +
      "recorded by then",
    ],
  };
}

function windowOf(
  phase: PhaseFacts | undefined,
  { endNs }: Extent,
): { startNs: number; endNs: number } {
  const startNs = phase?.startNs ?? 0;
  return { startNs, endNs: phase?.endNs ?? Math.max(startNs, endNs) };
}

function serverMetricsOf(
  folder: RunFolder,
  records: RunRecords,
  summary: RunSummary,
  scratch: Pick<FileSink, "openScratch"> | undefined,
): ReadRun["metrics"] {
  const { plan, baseEpochNs, machine } = folder.manifest.facts;
  if (plan.serverMetrics === undefined) return undefined;
  const store = new MetricsStore(
    endpointUrls(plan.serverMetrics),
    scratch === undefined ? {} : { scratch },
  );
  for (const message of folder.scrapes()) store.take(message);
  return {
    store,
    facts: {
      plan: plan.serverMetrics,
      benchmarkId: plan.benchmarkId,
      prefix: plan.output.prefix,
      baseEpochNs,
      hostname: machine.hostname,
      inputConfig: inputConfig(plan),
      models: plan.models,
      tags: plan.tags,
    },
    span: { window: records.profilingWindow(summary), wasCancelled: summary.wasCancelled },
  };
}

function gpuTelemetryOf(
  folder: RunFolder,
  window: TimeWindow,
  scratch: Pick<FileSink, "openScratch"> | undefined,
): GpuTelemetry | undefined {
  const { plan: { gpuTelemetry: plan }, baseEpochNs } = folder.manifest.facts;
  if (plan === undefined) return undefined;
  const store = gpuStore(plan, scratch === undefined ? {} : { scratch });
  for (const message of folder.gpuScrapes()) store.take(message);
  return gpuTelemetry(plan, store, window, baseEpochNs);
}

function endpointUrls({ endpoints }: ServerMetricsPlan): string[] {
  return endpoints.map(({ redactedUrl }) => redactedUrl);
}
