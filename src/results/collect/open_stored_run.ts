import { type RunSample, SampleBuilder } from "../../measurement/compare/run_sample.ts";
import { valueOf } from "../../measurement/metrics/metric_results.ts";
import { inputConfig } from "../../report/export/summary/input_config.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { joinedTimeline } from "../../report/model/gpu_timeline.ts";
import { type ServerTimeline, serverTimeline } from "../../report/model/server_timeline.ts";
import { changesByHand } from "../../report/model/load_change.ts";
import { judgedRun } from "../../report/model/judged_run.ts";
import { lengthMismatchText } from "../../report/model/length_mismatch_text.ts";
import { runValidity } from "../../report/model/run_validity.ts";
import { shownWindow } from "../../report/model/shown_window.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { type SteadyResults, steadyResults } from "../../report/model/steady_state.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import { metricsReport } from "../server_metrics/finish_metrics.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import { openExportedRun } from "./exported_run.ts";
import { type ReadRun, readRun } from "./report_run.ts";
import { changedParts } from "./changed_parts.ts";
import { folderVerdicts } from "./folder_verdicts.ts";
import { damageOf, partialReason, readDamage } from "./run_damage.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "./run_folder.ts";
import { RUN_FILES } from "./run_files.ts";
import { readManifest } from "./run_manifest.ts";
import { sampledSessions } from "./sampled_sessions.ts";
import type { StoredRun } from "./stored_run.ts";

/**
 * Opens a run of any age: from its own records; else from the summary and the lines that it, or
 * AIPerf, exported. Nothing is written.
 * @param window part of the run that is looked at; the whole run where it has no steady state
 * @throws {RunFolderError} if there is none, or it cannot be read
 */
export async function openStoredRun(
  directory: string,
  window: WindowName = "steady",
): Promise<StoredRun> {
  const kept = await Deno.stat(`${directory}/${RUN_FILES.records}`).catch(() => undefined);
  if (kept === undefined) {
    const run = await openExportedRun(directory, window);
    return { ...run, damage: [...run.damage, ...await shardDamage(directory)] };
  }
  const folder = await openRunFolder(directory);
  try {
    const run = storedRun(directory, folder, window);
    return { ...run, damage: [...run.damage, ...await changedParts(folder)] };
  } catch (error) {
    if (!folder.manifest.isChanged || error instanceof RunFolderError) throw error;
    // What it says can be anything.
    const path = `${directory}/${RUN_FILES.manifest}`;
    throw new RunFolderError(
      `${path}: damaged, or changed by something else: ${messageOf(error)}`,
      { isDamage: true },
    );
  }
}

/** Losses in the shards of a merged run, a phrase each; nothing for other folders. */
async function shardDamage(directory: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${directory}/${RUN_FILES.manifest}`).catch(() => undefined);
  if (text === undefined) return [];
  try {
    if (readManifest(text).parts === undefined) return [];
    return await readDamage(await openRunFolder(directory));
  } catch (error) {
    return [messageOf(error)];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function storedRun(directory: string, folder: RunFolder, window: WindowName): StoredRun {
  const run = readRun(folder);
  const { facts, records, summary } = run;
  const { machine } = facts;
  const metrics = run.metrics &&
    metricsReport(run.metrics.store, run.metrics.facts, run.metrics.span);
  const report = {
    ...buildProfileReport(records, facts, summary, [], metrics, run.gpu?.report),
    isWholeRunShown: window === "run",
  };
  const steady = window === "run" ? undefined : steadyResults(report.steady);
  const settings = inputConfig(facts.plan);
  return {
    directory,
    judged: judgedRun(report, metrics),
    sample: {
      ...sampleOf(directory, records.profiling, run, steady),
      answers: folderVerdicts(folder, settings),
      sessions: sampledSessions(records.profiling),
    },
    window: steady === undefined ? "run" : "steady",
    timeline: timelineOf(run, metrics),
    settings: { ...settings, "changed_by_hand": changesByHand(report.notes) },
    tags: report.tags,
    servers: report.servers,
    product: folder.manifest.product,
    machine: `${machine.hostname} (${machine.os} ${machine.arch}, ${machine.cores} cores)`,
    partial: partialReason(folder),
    incomparable: records.tokens.lengthMismatch?.isComparable === false
      ? lengthMismatchText(records.tokens.lengthMismatch)
      : undefined,
    damage: damageOf(folder, records.profiling.length),
    endReason: run.summary.endReason,
    verdict: runValidity(shownWindow(report)).verdict,
  };
}

/** Metrics that the servers reported over time, by the clock of the sample. */
function timelineOf(
  { gpu, records }: ReadRun,
  metrics: ServerMetricsReport | undefined,
): ServerTimeline {
  const zeroNs = records.profiling.allStartNs.values.reduce(
    (first, start) => start < first ? start : first,
    Infinity,
  );
  const servers = metrics === undefined ? [] : serverTimeline(metrics.roles);
  return joinedTimeline(servers, gpu?.timeline).map((one) => ({
    ...one,
    timesNs: one.timesNs.map((time) => time - zeroNs),
  }));
}

/** @param steady the part whose requests are taken; undefined for all */
function sampleOf(
  name: string,
  table: RecordTable,
  { facts, summary }: ReadRun,
  steady: SteadyResults | undefined,
): RunSample {
  const builder = new SampleBuilder();
  const starts = table.allStartNs.values;
  const [ends, allEnds] = [table.contentEndNs.values, table.allEndNs.values];
  const isInside = (startNs: number): boolean =>
    steady === undefined || (startNs >= steady.startNs && startNs < steady.endNs);
  const cancelled = table.counts("cancelled");
  const columns = new Map<string, Float64Array | undefined>();
  for (let row = 0; row < table.length; row++) {
    const startNs = starts[row] as number;
    if (cancelled[row] === 1 || Number.isNaN(startNs) || !isInside(startNs)) continue;
    builder.add({
      startNs,
      endNs: ends[row] as number,
      lastNs: allEnds[row] as number,
      value(tag) {
        if (!columns.has(tag)) columns.set(tag, table.column(tag as RecordMetricTag));
        return columns.get(tag)?.[row] ?? NaN;
      },
    });
  }
  const startEpochNs = facts.baseEpochNs + BigInt(Math.round(summary.startNs));
  const sample = builder.build(name, startEpochNs, steady?.seconds);
  const rates = steady && {
    requests: valueOf(steady.results, "request_throughput") ?? NaN,
    tokens: valueOf(steady.results, "output_token_throughput") ?? NaN,
  };
  return { ...sample, rates, costPerHour: facts.plan.costPerHour };
}
