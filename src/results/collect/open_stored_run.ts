import { type RunSample, SampleBuilder } from "../../measurement/compare/run_sample.ts";
import { inputConfig } from "../../report/export/summary/input_config.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { joinedTimeline } from "../../report/model/gpu_timeline.ts";
import { type ServerTimeline, serverTimeline } from "../../report/model/server_timeline.ts";
import { changesByHand } from "../../report/model/load_change.ts";
import { judgedRun } from "../../report/model/judged_run.ts";
import { metricsReport } from "../server_metrics/finish_metrics.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import { openExportedRun } from "./exported_run.ts";
import { type ReadRun, readRun } from "./report_run.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "./run_folder.ts";
import { RUN_FILES } from "./run_files.ts";
import type { StoredRun } from "./stored_run.ts";

/**
 * Opens a run of any age: from its own records; else from the summary and the lines that it, or
 * AIPerf, exported. Nothing is written.
 * @throws {RunFolderError} if there is none, or it cannot be read
 */
export async function openStoredRun(directory: string): Promise<StoredRun> {
  const kept = await Deno.stat(`${directory}/${RUN_FILES.records}`).catch(() => undefined);
  if (kept === undefined) return await openExportedRun(directory);
  const folder = await openRunFolder(directory);
  try {
    return storedRun(directory, folder);
  } catch (error) {
    if (!folder.manifest.isChanged || error instanceof RunFolderError) throw error;
    // What it says can be anything.
    const path = `${directory}/${RUN_FILES.manifest}`;
    throw new RunFolderError(`${path}: damaged, or changed by something else: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function storedRun(directory: string, folder: RunFolder): StoredRun {
  const run = readRun(folder);
  const { facts, records, summary } = run;
  const { machine } = facts;
  const metrics = run.metrics &&
    metricsReport(run.metrics.store, run.metrics.facts, run.metrics.span);
  const report = buildProfileReport(records, facts, summary, [], metrics, run.gpu?.report);
  return {
    directory,
    judged: judgedRun(report, metrics),
    sample: sampleOf(directory, records.profiling, run),
    timeline: timelineOf(run),
    settings: { ...inputConfig(facts.plan), "changed_by_hand": changesByHand(report.notes) },
    tags: report.tags,
    servers: report.servers,
    product: folder.manifest.product,
    machine: `${machine.hostname} (${machine.os} ${machine.arch}, ${machine.cores} cores)`,
    partial: partialReason(run, folder.manifest.summary === undefined),
    verdict: report.measurementError?.verdict,
    isChanged: folder.manifest.isChanged,
  };
}

/** What the servers said, by the clock of the sample. */
function timelineOf({ gpu, metrics, records }: ReadRun): ServerTimeline {
  const zeroNs = records.profiling.allStartNs.values.reduce(
    (first, start) => start < first ? start : first,
    Infinity,
  );
  const servers = metrics === undefined ? [] : serverTimeline(metrics.store.endpoints);
  return joinedTimeline(servers, gpu?.timeline).map((one) => ({
    ...one,
    timesNs: one.timesNs.map((time) => time - zeroNs),
  }));
}

function partialReason({ summary }: ReadRun, wasKilled: boolean): string | undefined {
  if (wasKilled) return "it was killed";
  if (summary.endedEarly !== undefined) return `it ended early: ${summary.endedEarly}`;
  return summary.wasCancelled ? "it was interrupted" : undefined;
}

function sampleOf(name: string, table: RecordTable, { facts, summary }: ReadRun): RunSample {
  const builder = new SampleBuilder();
  const starts = table.allStartNs.values;
  const ends = table.contentEndNs.values;
  const cancelled = table.counts("cancelled");
  const columns = new Map<string, Float64Array | undefined>();
  for (let row = 0; row < table.length; row++) {
    const startNs = starts[row] as number;
    if (cancelled[row] === 1 || Number.isNaN(startNs)) continue;
    builder.add({
      startNs,
      endNs: ends[row] as number,
      value(tag) {
        if (!columns.has(tag)) columns.set(tag, table.column(tag as RecordMetricTag));
        return columns.get(tag)?.[row] ?? NaN;
      },
    });
  }
  const startEpochNs = facts.baseEpochNs + BigInt(Math.round(summary.startNs));
  return { ...builder.build(name, startEpochNs), costPerHour: facts.plan.costPerHour };
}
