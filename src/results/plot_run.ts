import type { FileSink } from "../export/file_sink.ts";
import { plotFiles } from "../html/plot_files.ts";
import { serverTimeline } from "../report/server_timeline.ts";
import { metricsReport } from "../server_metrics/finish_metrics.ts";
import { buildProfileReport } from "./build_profile_report.ts";
import { readRun } from "./report_run.ts";
import type { RunFolder } from "./run_folder.ts";
import { runViewOf } from "./run_view_of.ts";

/** Folder of the pictures, inside a run's artifact folder. */
export const PLOT_FOLDER = "plots";

/**
 * Draws the main pictures of a run as SVG files.
 * @returns their names in the artifact folder
 * @throws {RunFolderError} if the folder cannot be read
 * @throws {ExportError} if a file cannot be written
 */
export async function plotRun(folder: RunFolder, sink: FileSink): Promise<string[]> {
  const run = readRun([folder], sink);
  const source = run.metrics;
  const metrics = source && metricsReport(source.store, source.facts, source.span);
  const report = buildProfileReport(run.records, run.facts, run.summary, [], metrics);
  const timeline = source === undefined ? [] : serverTimeline(source.store.endpoints);
  const names: string[] = [];
  for (const [name, svg] of plotFiles(runViewOf(run, report, { metrics, timeline }))) {
    const path = `${PLOT_FOLDER}/${name}`;
    await sink.write(path, [svg]);
    names.push(path);
  }
  return names;
}
