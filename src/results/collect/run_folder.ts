/**
 * The folder `run/` inside a run's artifact folder: what every other file of the run can be made
 * from. Only this program reads it. That of a merged run has no records of its own: its `run.json`
 * names the shards beside it, whose records are the run's.
 */

import { fileReason } from "../../core/files/file_reason.ts";
import type { PlacedCanaryRows } from "../../measurement/canary/canary_file.ts";
import type { StoredRecord } from "../../client/record/record_file.ts";
import { storedRecord } from "../../client/record/record_file_reader.ts";
import { joinedRows } from "../../client/record/joined_rows.ts";
import type { RecordBatch } from "../../client/record/record_batch.ts";
import type { RowsStretch } from "../../client/record/record_rows.ts";
import type { RecordField } from "../../client/record/request_fields.ts";
import { mergedStretches, type RecordStretch } from "../../client/record/record_stretches.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { shardOfFolder } from "../../config/shard/shard.ts";
import { readManifest, type RunManifest } from "./run_manifest.ts";
import {
  mergedCanaries,
  onlyScrapes,
  type PartFiles,
  partIn,
  RunFolderError,
  type RunPart,
} from "./run_part.ts";
import { RUN_FILES } from "./run_files.ts";

export { RunFolderError };

/** A run folder that can be read. */
export interface RunFolder {
  /** Where it is; undefined if what it gives is not just what is there. */
  readonly directory?: string;
  readonly manifest: RunManifest;
  /** Names of the files in the artifact folder. */
  readonly files: ReadonlySet<string>;
  /** The records in the order in which they were taken in, in stretches as they lie in files. */
  stretches(): Generator<RecordStretch>;
  /**
   * The same records in columns, put together of all files: the quickest way through them.
   * @param fields those that are looked at; others may be NaN all over
   */
  rows(fields?: readonly RecordField[]): Generator<RowsStretch>;
  /** Records that began outside of the part of the run that is looked at; absent for a whole run. */
  straddling?(): Generator<RowsStretch>;
  /** The same records one by one; each is valid until the next one. */
  records(): Generator<StoredRecord>;
  /** Canaries in the order in which they were taken in; none of a run without them. */
  canaries(): Generator<PlacedCanaryRows>;
  /** Messages of scraping, in the order in which they were taken in. */
  scrapes(): Generator<ScrapeMessage>;
  /** The same of GPU telemetry. */
  gpuScrapes(): Generator<ScrapeMessage>;
  /** Lines with facts of sessions; none of a run without sessions. */
  sessionLines(): string[];
  /**
   * Names of the files that lack blocks, or the end of one, of those that were read; absent where
   * that is checked otherwise.
   */
  readonly lossyFiles?: ReadonlySet<string>;
  /** Names of the files that another run wrote, of those that were read; absent as above. */
  readonly foreignFiles?: ReadonlySet<string>;
}

/** A run of one part or of several. */
export function joinedFolder(
  manifest: RunManifest,
  files: ReadonlySet<string>,
  parts: readonly RunPart[],
): RunFolder {
  const stretches = () => mergedStretches(parts.map((part) => part.batches()));
  return {
    manifest,
    files,
    stretches,
    *rows(fields) {
      for (const batch of joinedRows(parts.map((part) => part.batches(fields)), fields)) {
        yield { batch, start: 0, end: batch.count };
      }
    },
    records: () => recordsOf(stretches()),
    canaries: () => mergedCanaries(parts),
    scrapes: () => onlyScrapes(parts.map((part) => part.scrapes())),
    gpuScrapes: () => onlyScrapes(parts.map((part) => part.gpuScrapes())),
    sessionLines: () => parts.flatMap((part) => part.sessionLines()),
  };
}

/** The records of stretches, one by one. */
export function* recordsOf(stretches: Iterable<RecordStretch>): Generator<StoredRecord> {
  for (const { batch, start, end } of stretches) {
    for (let at = start; at < end; at++) yield storedRecord(batch, at);
  }
}

/**
 * Opens the run folder of an artifact folder.
 * @param amend puts other values into the records of a batch
 * @throws {RunFolderError} if there is none, or it cannot be read
 */
export async function openRunFolder(
  directory: string,
  amend?: (batch: RecordBatch) => void,
): Promise<RunFolder> {
  const manifestPath = `${directory}/${RUN_FILES.manifest}`;
  let manifest: RunManifest;
  const files = new Set<string>();
  try {
    manifest = readManifest(await Deno.readTextFile(manifestPath));
    for await (const { name, isFile } of Deno.readDir(directory)) if (isFile) files.add(name);
    if (manifest.parts === undefined) await Deno.stat(`${directory}/${RUN_FILES.records}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw await missing(directory, manifestPath);
    if (error instanceof Deno.errors.NotADirectory) {
      throw new RunFolderError(`${directory}: ${fileReason(error)}`);
    }
    throw new RunFolderError(`${manifestPath}: ${fileReason(error)}`);
  }
  const stored = await partsOf(directory, manifest);
  const parts = amend === undefined ? stored : stored.map((part): RunPart => ({
    ...part,
    *batches() {
      // What it looks at nobody knows here.
      for (const batch of part.batches()) {
        amend(batch);
        yield batch;
      }
    },
  }));
  const joined = joinedFolder(manifest, files, parts);
  if (manifest.parts !== undefined) return { ...joined, directory };
  const { lossyFiles, foreignFiles } = parts[0] as RunPart;
  return {
    ...{ ...joined, directory },
    ...(lossyFiles === undefined ? {} : { lossyFiles }),
    ...(foreignFiles === undefined ? {} : { foreignFiles }),
  };
}

async function partsOf(directory: string, { facts, parts }: RunManifest): Promise<RunPart[]> {
  const { plan } = facts;
  // Runs of earlier versions had no canaries.
  const has: PartFiles = {
    canaries: plan.canaries === true,
    scrapes: plan.serverMetrics !== undefined,
    gpuScrapes: plan.gpuTelemetry !== undefined,
  };
  if (parts === undefined) return [partIn(directory, has, 0, plan.benchmarkId)];
  return await Promise.all(parts.map(async ({ folder, shiftNs }) => {
    const path = `${directory}/${folder}`;
    const isThere = async (name: string): Promise<boolean> =>
      await Deno.stat(`${path}/${name}`).then(() => true, () => false);
    if (shardOfFolder(folder) === undefined || !await isThere(RUN_FILES.records)) {
      throw new RunFolderError(
        `${path}: The records of this shard are a part of the run but are missing`,
      );
    }
    return partIn(path, {
      canaries: has.canaries && await isThere(RUN_FILES.canaries),
      scrapes: has.scrapes && await isThere(RUN_FILES.serverMetrics),
      gpuScrapes: has.gpuScrapes && await isThere(RUN_FILES.gpuTelemetry),
    }, shiftNs);
  }));
}

async function missing(directory: string, manifestPath: string): Promise<RunFolderError> {
  const folder = await Deno.stat(directory).catch(() => undefined);
  if (folder === undefined) return new RunFolderError(`${directory}: No such folder`);
  for await (const { name } of Deno.readDir(directory)) {
    if (shardOfFolder(name) !== undefined) {
      return new RunFolderError(
        `${directory} holds shards of a run: inferometer merge ${directory} makes one result of them`,
      );
    }
  }
  return new RunFolderError(
    `${directory} contains no records of a run: ${manifestPath} and records.bin are ` +
      `written by a run without --no-records`,
  );
}
