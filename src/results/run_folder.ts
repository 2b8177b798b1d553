/**
 * The folder `run/` inside a run's artifact folder: what every other file of the run can be made
 * from. Only this program reads it.
 */

import { fileReason } from "../files/file_reason.ts";
import type { ByteSource } from "../block_file/block_file.ts";
import { type CanaryRows, readCanaries } from "../canary/canary_file.ts";
import { RecordFileReader, type StoredRecord } from "../record/record_file.ts";
import type { ScrapeMessage } from "../scrape/messages.ts";
import { ScrapeLogReader } from "../server_metrics/scrape_log.ts";
import { readManifest, type RunManifest } from "./run_manifest.ts";

/** Its name. */
export const RUN_FOLDER = "run";

/** The files of a run folder, by their names in the artifact folder. */
export const RUN_FILES = {
  manifest: `${RUN_FOLDER}/run.json`,
  records: `${RUN_FOLDER}/records.bin`,
  serverMetrics: `${RUN_FOLDER}/server_metrics.bin`,
  gpuTelemetry: `${RUN_FOLDER}/gpu_telemetry.bin`,
  canaries: `${RUN_FOLDER}/canaries.bin`,
} as const;

/** A run folder that can be read. */
export interface RunFolder {
  readonly manifest: RunManifest;
  /** Names of the files in the artifact folder. */
  readonly files: ReadonlySet<string>;
  /** The records in the order in which they were taken in; each is valid until the next one. */
  records(): Generator<StoredRecord>;
  /** Canaries in the order in which they were taken in; none of a run without them. */
  canaries(): Generator<CanaryRows>;
  /** Messages of scraping, in the order in which they were taken in. */
  scrapes(): Generator<ScrapeMessage>;
  /** The same of GPU telemetry. */
  gpuScrapes(): Generator<ScrapeMessage>;
}

/** A folder that holds no run, or one without its records. */
export class RunFolderError extends Error {
  override readonly name = "RunFolderError";
}

/**
 * Opens the run folder of an artifact folder.
 * @throws {RunFolderError} if there is none, or it cannot be read
 */
export async function openRunFolder(directory: string): Promise<RunFolder> {
  const manifestPath = `${directory}/${RUN_FILES.manifest}`;
  let manifest: RunManifest;
  const files = new Set<string>();
  try {
    manifest = readManifest(await Deno.readTextFile(manifestPath));
    for await (const { name, isFile } of Deno.readDir(directory)) if (isFile) files.add(name);
    await Deno.stat(`${directory}/${RUN_FILES.records}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      const folder = await Deno.stat(directory).catch(() => undefined);
      if (folder === undefined) throw new RunFolderError(`${directory}: No such folder`);
      throw new RunFolderError(
        `${directory} contains no records of a run: ${manifestPath} and records.bin beside it are ` +
          `written by a run without --no-records`,
      );
    }
    if (error instanceof Deno.errors.NotADirectory) {
      throw new RunFolderError(`${directory}: ${fileReason(error)}`);
    }
    throw new RunFolderError(`${manifestPath}: ${fileReason(error)}`);
  }
  return {
    manifest,
    files,
    *records() {
      yield* readAll(
        directory,
        RUN_FILES.records,
        (source) => new RecordFileReader(source).records(),
      );
    },
    *canaries() {
      // Runs of earlier versions had none.
      if (manifest.facts.plan.canaries !== true) return;
      yield* readAll(directory, RUN_FILES.canaries, readCanaries);
    },
    *scrapes() {
      if (manifest.facts.plan.serverMetrics === undefined) return;
      yield* readAll(
        directory,
        RUN_FILES.serverMetrics,
        (source) => new ScrapeLogReader(source).messages(),
      );
    },
    *gpuScrapes() {
      if (manifest.facts.plan.gpuTelemetry === undefined) return;
      yield* readAll(
        directory,
        RUN_FILES.gpuTelemetry,
        (source) => new ScrapeLogReader(source).messages(),
      );
    },
  };
}

/**
 * Reads a file piece by piece.
 * @throws {RunFolderError} if it cannot be read
 */
function* readAll<T>(
  directory: string,
  name: string,
  read: (source: ByteSource) => Iterable<T>,
): Generator<T> {
  const path = `${directory}/${name}`;
  let file: Deno.FsFile | undefined;
  try {
    file = Deno.openSync(path);
    yield* read(file);
  } catch (error) {
    throw new RunFolderError(`${path}: ${(error as Error).message}`);
  } finally {
    file?.close();
  }
}
