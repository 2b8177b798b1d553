import { UsageError } from "../../config/options/usage_error.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { sweepPlotFiles } from "../../report/html/plot_files.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { readSweepResults } from "../../report/sweep/sweep_results.ts";
import { writePlots } from "../../results/collect/write_plots.ts";

/**
 * Writes the charts of several runs as files: throughput against each latency.
 * @param directory the command's folder
 * @param formats file formats: `svg`, `png`
 * @returns the names of the files in the folder
 * @throws {UsageError} if no run has results
 * @throws {ExportError} if a file cannot be written
 */
export async function plotSweep(
  directory: string,
  manifest: SweepManifest,
  formats: readonly string[],
): Promise<string[]> {
  const { points } = await readSweepResults(directory, manifest);
  const names = await writePlots(sweepPlotFiles(points), new FolderSink(directory), formats);
  if (names.length === 0) {
    throw new UsageError(undefined, `${directory}: no run has results to plot`);
  }
  return names;
}
