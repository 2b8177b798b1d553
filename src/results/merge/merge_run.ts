/** Merges the shards of a run into one result, as if one process had made it. */

import {
  artifactNames,
  resultNames,
  serverMetricsName,
} from "../../report/export/artifact_names.ts";
import { ExportError } from "../../report/export/export_error.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { CLAIM, claimFolder, releaseFolder } from "../../report/export/folder_claim.ts";
import { openRunFolder, RunFolderError } from "../collect/run_folder.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { manifestText, type RunManifest } from "../collect/run_manifest.ts";
import { sealedJson } from "../collect/sealed_json.ts";
import { type ReportedRun, reportRun } from "../collect/report_run.ts";
import { consoleFile } from "../collect/write_run.ts";
import { shardFolderName } from "../../config/shard/shard.ts";
import { assertSameRun, type ReadableShard } from "./assert_same_run.ts";
import { type CheckedShard, checkShard } from "./checked_shard.ts";
import { findShards } from "./found_shards.ts";
import { incompleteManifest } from "./incomplete_manifest.ts";
import { copyLines, type LineChange, markedIncomplete, movedTimes } from "./merged_lines.ts";
import { mergedManifest } from "./merged_manifest.ts";
import { type PlacedShard, placedShards } from "./placed_shards.ts";
import { missingText } from "./missing_text.ts";

/** What a user asks for. */
export interface MergeOptions {
  /** How many shards there are; undefined if the folders' names say it. */
  readonly expectShards: number | undefined;
  /** Whether shards that are missing, broken or cut do not keep the others from being merged. */
  readonly allowMissing: boolean;
}

/** A run that was merged. */
export interface MergedRun extends ReportedRun {
  /** What is missing, in a sentence; undefined if nothing is. */
  readonly incomplete: string | undefined;
}

const CHECKED_AT_ONCE = 4;
/** Problems that one message names. */
const MAX_PROBLEMS = 8;

/**
 * Checks the shards in an artifact folder, and writes there every file that a run writes. Their own
 * folders stay as they are, and hold the records of the merged run.
 * @throws {RunFolderError} that names each shard with which something is wrong
 * @throws {ExportError} if the folder cannot be written
 */
export async function mergeRun(directory: string, options: MergeOptions): Promise<MergedRun> {
  const { count, indexes } = await findShards(directory, options.expectShards);
  const present = new Set(indexes);
  const missing = Array.from({ length: count }, (_, index) => index)
    .filter((index) => !present.has(index));
  const checked = await checkAll(directory, count, indexes);
  const readable = checked.filter((shard): shard is ReadableShard =>
    shard.state === "whole" || shard.state === "cut"
  );
  assertSameRun(readable);
  refuse(directory, count, missing, checked, options);
  const shards = placedShards(readable, count);
  const incomplete = missingText({ count, missing, checked, shards });
  const merged = mergedManifest(shards);
  const isLost = missing.length > 0 || checked.some(({ state }) => state === "broken");
  const manifest = incomplete === undefined
    ? merged
    : incompleteManifest(merged, incomplete, isLost);
  await assertNoOwnRun(directory);
  if (!await claimFolder(directory)) {
    throw new RunFolderError(
      `${directory}: Another process is writing into it: wait until it has ended, or, if there is ` +
        `none, remove ${CLAIM}`,
    );
  }
  try {
    return { ...await write(directory, manifest, shards, incomplete), incomplete };
  } finally {
    await releaseFolder(directory);
  }
}

/** Checks shards, a few at a time: while one is read, what was read of another is hashed. */
async function checkAll(
  directory: string,
  count: number,
  indexes: readonly number[],
): Promise<CheckedShard[]> {
  const checked: CheckedShard[] = [];
  for (let start = 0; start < indexes.length; start += CHECKED_AT_ONCE) {
    const some = indexes.slice(start, start + CHECKED_AT_ONCE);
    checked.push(
      ...await Promise.all(some.map((index) => checkShard(directory, { index, count }))),
    );
  }
  return checked;
}

/** Nothing is merged while something is wrong that the user has not allowed. */
function refuse(
  directory: string,
  count: number,
  missing: readonly number[],
  checked: readonly CheckedShard[],
  { allowMissing }: MergeOptions,
): void {
  const busy = checked.filter(({ state }) => state === "busy");
  const problems = [
    ...busy,
    ...(allowMissing ? [] : missing.map((index) => ({
      folder: shardFolderName({ index, count }),
      problem: "it is missing",
    }))),
    ...(allowMissing ? [] : checked.filter(({ state }) => state === "broken" || state === "cut")),
  ].map((shard) => `${shard.folder}: ${"problem" in shard ? shard.problem : ""}`).sort();
  const more = problems.length - MAX_PROBLEMS;
  if (problems.length > 0) {
    throw new RunFolderError(
      `${directory}: ${problems.slice(0, MAX_PROBLEMS).join("; ")}` +
        (more > 0 ? `; and ${more} more shards` : "") +
        (busy.length > 0
          ? `: wait until it has ended, or, if it has, remove ${CLAIM}`
          : ": --allow-missing merges the others"),
    );
  }
  if (checked.every(({ state }) => state === "broken")) {
    throw new RunFolderError(`${directory}: No shard can be read`);
  }
}

async function assertNoOwnRun(directory: string): Promise<void> {
  const own = await Deno.stat(`${directory}/${RUN_FILES.records}`).catch(() => undefined);
  if (own === undefined) return;
  throw new RunFolderError(
    `${directory} holds a run of its own besides shards: their results would replace those of that`,
  );
}

/** Writes every file of the run. */
async function write(
  directory: string,
  manifest: RunManifest,
  shards: readonly PlacedShard[],
  incomplete: string | undefined,
): Promise<ReportedRun> {
  const sink = new FolderSink(directory);
  const { plan } = manifest.facts;
  const { prefix } = plan.output;
  for (const name of resultNames(prefix)) await Deno.remove(`${directory}/${name}`).catch(() => {});
  await sink.write(RUN_FILES.manifest, [sealedJson(manifestText(manifest))]);
  const names = artifactNames(prefix);
  let failure: string | undefined;
  for (const name of [names.records, names.rawRecords]) {
    failure ??= await mergeLines(directory, name, shards, incomplete);
  }
  for (const name of [names.inputs, serverMetricsName(prefix, "jsonl")]) {
    failure ??= await copyFirst(directory, name, shards);
  }
  const folder = await openRunFolder(directory);
  const files = new Set([...folder.files, names.console]);
  const reported = await reportRun({ ...folder, files }, sink);
  const { report, metrics } = reported;
  await sink.write(names.console, [consoleFile(report, plan, metrics)]);
  return { ...reported, failure: failure ?? reported.failure };
}

/**
 * Merges a file of lines that shards have.
 * @returns what lines are missing, or could not be written; undefined if all is well
 */
async function mergeLines(
  directory: string,
  name: string,
  shards: readonly PlacedShard[],
  incomplete: string | undefined,
): Promise<string | undefined> {
  const files = await Promise.all(
    shards.map(({ folder }) => Deno.open(`${directory}/${folder}/${name}`).catch(() => undefined)),
  );
  if (files.every((file) => file === undefined)) return undefined;
  const changes = shards.map(({ lineShiftNs }) =>
    chained([
      ...(lineShiftNs === 0 ? [] : [movedTimes(lineShiftNs)]),
      ...(incomplete === undefined ? [] : [markedIncomplete(incomplete)]),
    ])
  );
  const { stretches } = await openRunFolder(directory);
  const lines = new FolderSink(directory).openLines(name);
  try {
    const missing = copyLines(stretches(), files, changes, lines);
    // What a process could not write, or not any more, is said elsewhere.
    const place = missing.findIndex((count, at) => count > 0 && !shards[at]?.isCut);
    return place < 0
      ? undefined
      : `${name}: ${shards[place]?.folder} has no lines for ${missing[place]} of its requests`;
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    return error.message;
  } finally {
    lines.close();
    for (const file of files) file?.close();
  }
}

function chained(changes: readonly LineChange[]): LineChange | undefined {
  if (changes.length === 0) return undefined;
  return (line) => changes.reduce((text, change) => change(text), line);
}

/** Copies a file that is the same in all shards that have it, or that only one has. */
async function copyFirst(
  directory: string,
  name: string,
  shards: readonly PlacedShard[],
): Promise<string | undefined> {
  for (const { folder } of shards) {
    try {
      // A copy through the sink appears as a whole, or not at all.
      using source = await Deno.open(`${directory}/${folder}/${name}`);
      await new FolderSink(directory).write(name, piecesOf(source));
      return undefined;
    } catch (error) {
      if (error instanceof ExportError) return error.message;
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

function* piecesOf(file: Deno.FsFile): Generator<Uint8Array> {
  const buffer = new Uint8Array(1 << 18);
  for (let read = file.readSync(buffer); read !== null; read = file.readSync(buffer)) {
    yield buffer.subarray(0, read);
  }
}
