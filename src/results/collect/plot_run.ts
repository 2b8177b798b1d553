import { pngRenderer } from "../../core/chart/png/png_renderer.ts";
import { PLOT_FOLDER } from "../../report/export/artifact_names.ts";
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
  const names: string[] = [];
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    const path = `${PLOT_FOLDER}/${name}`;
    await sink.write(path, [content]);
    names.push(path);
  };
  const renderer = formats.includes("png") ? await pngRenderer() : undefined;
  for (const [name, svg] of plotFiles(view)) {
    if (formats.includes("svg")) await write(name, svg);
    if (renderer !== undefined) await write(name.replace(/\.svg$/, ".png"), renderer(svg));
  }
  return names;
}
