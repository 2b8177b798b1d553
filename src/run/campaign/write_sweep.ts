import type { FileSink } from "../../report/export/file_sink.ts";
import { sweepPage } from "../../report/html/sweep_page.ts";
import { aggregateCsv, aggregateJson } from "../../report/sweep/aggregate_files.ts";
import { searchJson } from "../../report/sweep/search_json.ts";
import { readSearchResults, type SearchResults } from "../../report/sweep/search_results.ts";
import { sweepExport } from "../../report/sweep/sweep_export.ts";
import { sweepCsv } from "../../report/sweep/sweep_csv.ts";
import { sweepJson } from "../../report/sweep/sweep_json.ts";
import {
  AGGREGATE_FILES,
  aggregateFolder,
  SWEEP_FILES,
  sweepFolder,
} from "../../report/sweep/sweep_layout.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { sweepMarkdown } from "./sweep_markdown.ts";
import {
  type MissedObjectives,
  pointObjectives,
  ttftLimit,
} from "../../report/sweep/point_objectives.ts";
import type { PointResults } from "../../report/sweep/point_results.ts";
import { readSweepResults, type SweepResults } from "../../report/sweep/sweep_results.ts";

/** Written files of a command with several runs. */
export interface WrittenSweep {
  readonly results: SweepResults;
  readonly search: SearchResults | undefined;
  readonly objectives: ReadonlyMap<PointResults, MissedObjectives>;
  /** Paths of the files below the command's folder. */
  readonly files: readonly string[];
  /** Text of `sweep.md`. */
  readonly markdown: string;
  /** Text of the main JSON file; undefined without a run that left results. */
  readonly json: string | undefined;
}

/**
 * Writes the combined results of all runs of a command: the table, the statistics of each point, the answer
 * of a search, and the page. It is a function of the runs' folders and `sweep.json`.
 * @param directory the command's folder
 * @throws {ExportError} if a file cannot be written
 */
export async function writeSweep(
  directory: string,
  manifest: SweepManifest,
  sink: FileSink,
): Promise<WrittenSweep> {
  const { shape } = manifest;
  const results = await readSweepResults(directory, manifest);
  const search = manifest.search === undefined
    ? undefined
    : await readSearchResults(directory, { ...manifest, search: manifest.search });
  const files: string[] = [];
  const write = async (path: string, text: string | Iterable<string>): Promise<void> => {
    await sink.write(path, typeof text === "string" ? [text] : text);
    files.push(path);
  };
  let json: string | undefined;
  const writeJson = async (path: string, text: string): Promise<void> => {
    await write(path, text);
    json = text;
  };
  for (const point of results.points) {
    const folder = aggregateFolder(shape, point.point);
    if (folder === undefined || point.successful.length === 0) continue;
    await writeJson(`${folder}/${AGGREGATE_FILES.aggregateJson}`, aggregateJson(point, manifest));
    await write(`${folder}/${AGGREGATE_FILES.aggregateCsv}`, aggregateCsv(point, manifest));
  }
  const folder = sweepFolder(shape);
  if (folder !== undefined && results.points.some(({ successful }) => successful.length > 0)) {
    await writeJson(`${folder}/${AGGREGATE_FILES.sweepJson}`, sweepJson(results));
    await write(`${folder}/${AGGREGATE_FILES.sweepCsv}`, sweepCsv(results));
  }
  if (shape.kind === "sweep") await write(SWEEP_FILES.export, sweepExport(results));
  if (search !== undefined) await writeJson(SWEEP_FILES.search, searchJson(search, manifest));
  const objectives = await pointObjectives(results.points, directory, manifest.search);
  const limit = await ttftLimit(results.points, directory);
  const markdown = sweepMarkdown(results, search, objectives);
  await write(SWEEP_FILES.markdown, markdown);
  await write(SWEEP_FILES.page, sweepPage(results, search, { missed: objectives, limit }));
  return { results, search, objectives, files, markdown, json };
}
