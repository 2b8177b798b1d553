import type { FileSink } from "../../report/export/file_sink.ts";
import { plotFiles } from "../../report/html/plot_files.ts";
import type { RunView } from "../../report/html/run_view.ts";
import { joinedTimeline } from "../../report/model/gpu_timeline.ts";
import { serverTimeline } from "../../report/model/server_timeline.ts";
import { metricsReport } from "../server_metrics/finish_metrics.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import { readRun } from "./report_run.ts";
import type { RunFolder } from "./run_folder.ts";
import { runViewOf } from "./run_view_of.ts";
import { writePlots } from "./write_plots.ts";

/**
 * Draws the main pictures of a run as files.
 * @param formats kinds of files: `svg`, `png`
 * @returns their names in the artifact folder
 * @throws {RunFolderError} if the folder cannot be read
 * @throws {ExportError} if a file cannot be written
 */
export async function plotRun(
  folder: RunFolder,
  sink: FileSink,
  formats: readonly string[],
): Promise<string[]> {
  const run = readRun(folder, sink);
  const source = run.metrics;
  const metrics = source && metricsReport(source.store, source.facts, source.span);
  const report = buildProfileReport(
    run.records,
    run.facts,
    run.summary,
    [],
    metrics,
    run.gpu?.report,
  );
  const servers = metrics === undefined ? [] : serverTimeline(metrics.roles);
  const timeline = joinedTimeline(servers, run.gpu?.timeline);
  return await plotView(runViewOf(run, report, { metrics, timeline }), sink, formats);
}

/** Draws the main pictures of a run that is open already; see {@linkcode plotRun}. */
export async function plotView(
  view: RunView,
  sink: FileSink,
  formats: readonly string[],
): Promise<string[]> {
  return await writePlots(plotFiles(view), sink, formats);
}
