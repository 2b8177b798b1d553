/**
 * A part of a run: what one process of those that share it has written. The records of all parts come
 * in the order in which one process would have taken them in.
 */

import { fileReason } from "../../core/files/file_reason.ts";
import type { ByteSource } from "../../core/block_file/block_file.ts";
import { CANARY_FIELD_COUNT } from "../../measurement/canary/canary_kind.ts";
import { type PlacedCanaryRows, readCanaries } from "../../measurement/canary/canary_file.ts";
import type { RecordBatch } from "../../client/record/record_batch.ts";
import type { RecordField } from "../../client/record/request_fields.ts";
import { RecordFileReader } from "../../client/record/record_file_reader.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { ScrapeLogReader } from "../server_metrics/scrape_log.ts";
import { RUN_FILES } from "./run_files.ts";

/** See the module's comment. */
export interface RunPart {
  /**
   * The records block by block, each batch valid until the next.
   * @param fields those that are looked at; others may be NaN all over
   */
  batches(fields?: readonly RecordField[]): Generator<RecordBatch>;
  /** Canaries in the order in which they were taken in; none of a run without them. */
  canaries(): Generator<PlacedCanaryRows>;
  /** Messages of scraping, in the order in which they were taken in. */
  scrapes(): Generator<ScrapeMessage>;
  /** The same of GPU telemetry. */
  gpuScrapes(): Generator<ScrapeMessage>;
  /** Lines with facts of sessions; none of a run without sessions. */
  sessionLines(): string[];
  /** Names of the files that lack blocks, or the end of one, of those that were read. */
  readonly lossyFiles?: ReadonlySet<string>;
  /** Names of the files that another run wrote, of those that were read. */
  readonly foreignFiles?: ReadonlySet<string>;
}

/** A folder that holds no run, or one without its records. */
export class RunFolderError extends Error {
  override readonly name = "RunFolderError";
  /** Whether there is a run whose files are damaged, so that it must not be skipped. */
  readonly isDamage: boolean;

  constructor(message: string, { isDamage = false }: { readonly isDamage?: boolean } = {}) {
    super(message);
    this.isDamage = isDamage;
  }
}

/** Which files a part has besides its records. */
export interface PartFiles {
  readonly canaries: boolean;
  readonly scrapes: boolean;
  readonly gpuScrapes: boolean;
}

/**
 * The part of a run in an artifact folder.
 * @param shiftNs from the clock of this part to that of the whole run
 * @param runId the run whose files these are; undefined if that is checked otherwise
 */
export function partIn(directory: string, has: PartFiles, shiftNs = 0, runId?: string): RunPart {
  const lossyFiles = new Set<string>();
  const foreignFiles = new Set<string>();
  const found = (name: string): Findings => ({
    lost: () => lossyFiles.add(name),
    writtenBy(run) {
      if (run !== undefined && runId !== undefined && run !== runId) foreignFiles.add(name);
    },
  });
  const messages = (name: string): Generator<ScrapeMessage> =>
    readAll(directory, name, (source) => messagesIn(source, found(name)));
  return {
    lossyFiles,
    foreignFiles,
    *batches(fields) {
      yield* readAll(
        directory,
        RUN_FILES.records,
        (source) => batchesIn(source, shiftNs, fields, found(RUN_FILES.records)),
      );
    },
    *canaries() {
      if (!has.canaries) return;
      const { lost, writtenBy } = found(RUN_FILES.canaries);
      for (
        const { worker, rows, placeNs } of readAll(
          directory,
          RUN_FILES.canaries,
          (source) => readCanaries(source, lost, writtenBy),
        )
      ) {
        if (shiftNs !== 0) {
          // Their first number is no time.
          rows.forEach((value, at) => {
            if (at % CANARY_FIELD_COUNT !== 0) rows[at] = value + shiftNs;
          });
        }
        yield { worker, rows, placeNs: placeNs + shiftNs };
      }
    },
    *scrapes() {
      if (has.scrapes) yield* messages(RUN_FILES.serverMetrics);
    },
    *gpuScrapes() {
      if (has.gpuScrapes) yield* messages(RUN_FILES.gpuTelemetry);
    },
    sessionLines() {
      try {
        return Deno.readTextFileSync(`${directory}/${RUN_FILES.sessions}`).split("\n");
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return [];
        throw new RunFolderError(`${directory}/${RUN_FILES.sessions}: ${fileReason(error)}`);
      }
    },
  };
}

function* batchesIn(
  source: ByteSource,
  shiftNs: number,
  fields: readonly RecordField[] | undefined,
  found: Findings,
): Generator<RecordBatch> {
  const reader = new RecordFileReader(source);
  found.writtenBy(reader.run);
  yield* reader.batches(shiftNs, fields);
  if (reader.lacksRecords) found.lost();
}

function* messagesIn(source: ByteSource, found: Findings): Generator<ScrapeMessage> {
  const reader = new ScrapeLogReader(source);
  found.writtenBy(reader.run);
  yield* reader.messages();
  if (reader.lacksMessages) found.lost();
}

/** Findings about a file from reading it. */
interface Findings {
  /** Blocks are missing, or the end of one. */
  lost(): void;
  /** @param run ID in the file; undefined in files of earlier versions */
  writtenBy(run: string | undefined): void;
}

/** The canaries of all parts in the order of their places. */
export function* mergedCanaries(parts: readonly RunPart[]): Generator<PlacedCanaryRows> {
  const heads = parts.map((part) => {
    const canaries = part.canaries();
    return { canaries, next: canaries.next() };
  });
  for (;;) {
    let first: typeof heads[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (first === undefined || first.next.done) first = head;
      else if (head.next.value.placeNs < first.next.value.placeNs) first = head;
    }
    if (first === undefined || first.next.done) return;
    yield first.next.value;
    first.next = first.canaries.next();
  }
}

/** The messages of the first part that has any: one process of a run collects metrics. */
export function* onlyScrapes(
  parts: Iterable<Iterable<ScrapeMessage>>,
): Generator<ScrapeMessage> {
  for (const messages of parts) {
    let hasAny = false;
    for (const message of messages) {
      hasAny = true;
      yield message;
    }
    if (hasAny) return;
  }
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
    // What is open, and cannot be read, is not what was written.
    throw new RunFolderError(`${path}: ${fileReason(error)}`, { isDamage: file !== undefined });
  } finally {
    file?.close();
  }
}
