import { gpuStore, type GpuTelemetry, gpuTelemetry } from "./gpu_telemetry.ts";
import type { TimeWindow } from "../timeseries/time_window.ts";
import { configuredType } from "../endpoint/endpoint_types.ts";
import { artifactNames, serverMetricsName } from "../export/artifact_names.ts";
import type { FileSink } from "../export/file_sink.ts";
import { inputConfig } from "../export/input_config.ts";
import { recordCursor } from "../metrics/record_cursor.ts";
import type { ServerMetricsPlan } from "../plan/server_metrics_plan.ts";
import type { StoredRecord } from "../record/record_file.ts";
import { RECORD_FIELD } from "../record/request_fields.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import {
  finishMetrics,
  type MetricsFacts,
  metricsReport,
  type MetricsSpan,
} from "../server_metrics/finish_metrics.ts";
import { MetricsStore } from "../server_metrics/metrics_store.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import type { FinishedRun } from "./finished_run.ts";
import { type RunFolder, RunFolderError } from "./run_folder.ts";
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
 * partial ones that say so. With several folders, the parts of one run, they are made of all records
 * together; server metrics are those of the first folder.
 * @throws {RunFolderError} if a folder cannot be read, or is of another plan than the first
 */
export async function reportRun(
  folders: readonly RunFolder[],
  sink: FileSink,
): Promise<ReportedRun> {
  const run = readRun(folders, sink);
  const { facts } = run;
  const { plan } = facts;
  const metrics = run.metrics && await finishMetrics(
    run.metrics.store,
    run.metrics.facts,
    run.metrics.span,
    sink,
  );
  const names = artifactNames(plan.output.prefix);
  const present = (...wanted: readonly string[]) =>
    wanted.filter((name) => folders.some(({ files }) => files.has(name)));
  const written = await writeSummary(run, sink, {
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

/**
 * The report of a run, of which nothing is written; its files are those that are there.
 * @throws {RunFolderError} if the folder cannot be read
 */
export function reportOf(folder: RunFolder): ProfileReport {
  const { facts, records, summary, metrics, gpu } = readRun([folder]);
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
 * Reads a run from its folder, or from those of its parts.
 * @param scratch where samples go that memory should not hold; everything is in memory without it
 * @throws {RunFolderError} if a folder cannot be read, or is of another plan than the first
 */
export function readRun(
  folders: readonly RunFolder[],
  scratch?: Pick<FileSink, "openScratch">,
): ReadRun {
  const [first] = folders;
  if (first === undefined) throw new RangeError("There is no folder to report");
  assertSamePlan(folders);
  const { facts, phases } = first.manifest;
  const { plan } = facts;
  const records = new RunRecords(plan, configuredType(plan), facts.hasImages);
  const extent = new Extent();
  for (const folder of folders) {
    const shiftNs = Number(folder.manifest.facts.baseEpochNs - facts.baseEpochNs);
    if (shiftNs !== 0) {
      throw new RunFolderError("The folders are parts of runs with different clocks");
    }
    takeIn(folder, records, extent);
  }
  const summary = summaryOf(folders.map(({ manifest }) => manifest), extent);
  const metrics = serverMetricsOf(first, records, summary, scratch);
  const gpu = gpuTelemetryOf(first, records.profilingWindow(summary), scratch);
  return { facts, phases, records, summary, metrics, gpu };
}

function assertSamePlan([first, ...others]: readonly RunFolder[]): void {
  const other = others.find(({ manifest }) => manifest.planHash !== first?.manifest.planHash);
  if (other === undefined) return;
  throw new RunFolderError(
    `The folders are parts of different runs: ${first?.manifest.facts.plan.benchmarkId} and ` +
      other.manifest.facts.plan.benchmarkId,
  );
}

/** Extent of the profiling phase by its records. */
class Extent {
  endNs = -Infinity;
  count = 0;

  add({ row }: StoredRecord): void {
    if (row[RECORD_FIELD.phase] !== 1) return;
    this.count++;
    const endNs = row[RECORD_FIELD.endNs] as number;
    if (endNs > this.endNs) this.endNs = endNs;
  }
}

function takeIn(folder: RunFolder, records: RunRecords, extent: Extent): void {
  const cursor = recordCursor();
  for (const stored of folder.records()) {
    cursor.row = stored.row;
    cursor.chunkNs = stored.chunkNs;
    records.add({ ...stored, record: cursor, rawReply: undefined });
    extent.add(stored);
  }
  for (const { worker, rows } of folder.canaries()) records.canaries.add(worker, rows);
}

/** The summary of the run; one that was killed has it from what its records say. */
function summaryOf(manifests: readonly RunManifest[], extent: Extent): RunSummary {
  const [first] = manifests as [RunManifest];
  if (manifests.length === 1 && first.summary !== undefined) return first.summary;
  const phase = first.phases.findLast(({ kind }) => kind === "profiling");
  return {
    wasCancelled: true,
    isComplete: false,
    ...windowOf(phase, extent),
    sent: extent.count,
    unsentArrivals: 0,
    loopLagMs: [],
    cpuCores: NaN,
    changes: first.changes,
    stolen: first.summary?.stolen,
    notes: [
      "The run was killed before its results were written: this is what had been recorded by then",
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
