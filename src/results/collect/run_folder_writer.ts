import {
  canaryBlock,
  canaryFileHead,
  canaryPlace,
  type CanaryRows,
} from "../../measurement/canary/canary_file.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink, LineSink } from "../../report/export/file_sink.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { nextPlace } from "../../client/record/record_batch.ts";
import { RecordFileWriter, type StoredRecord } from "../../client/record/record_file.ts";
import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { ScrapeLogWriter } from "../server_metrics/scrape_log.ts";
import { redactedJson, type Redactor } from "../../core/secrets/redactor.ts";
import { RUN_FILES } from "./run_files.ts";
import {
  manifestText,
  type PhaseFacts,
  planHash,
  RUN_FORMAT,
  RUN_VERSION,
  type RunFacts,
  type RunSummary,
} from "./run_manifest.ts";
import { sealedJson } from "./sealed_json.ts";

const encoder = new TextEncoder();

/** Settings of a {@linkcode RunFolderWriter}. */
export interface RunFolderOptions {
  readonly facts: RunFacts;
  /** Takes secrets out of what a metrics page says, and out of the manifest. */
  readonly redactPage: Redactor;
  /** Called once if the folder cannot be written; nothing more is written after that. */
  onFailure(message: string): void;
}

/**
 * Writes the run folder while the run goes on. What was taken in reaches the operating system with
 * the next {@linkcode RunFolderWriter.flush}, so that a run which is killed can still be reported.
 */
export class RunFolderWriter {
  readonly #sink: FileSink;
  readonly #options: RunFolderOptions;
  readonly #records = new RecordFileWriter();
  readonly #scrapes: ScrapeLogWriter;
  readonly #gpuScrapes: ScrapeLogWriter;
  readonly #phases: PhaseFacts[] = [];
  #facts: RunFacts;
  readonly #changes: LoadChange[] = [];
  #planHash = "";
  #recordFile: LineSink | undefined;
  #scrapeFile: LineSink | undefined;
  #gpuFile: LineSink | undefined;
  #canaryFile: LineSink | undefined;
  /** Opened with the first session. */
  #sessionFile: LineSink | undefined;
  /** Places of the last record, and of the last canaries. */
  #placeNs = -Infinity;
  #canaryPlaceNs = -Infinity;
  /** Why nothing more is written; undefined if all is well. */
  #failure: string | undefined;
  /** Writes of the manifest, one after another. */
  #written: Promise<void> = Promise.resolve();

  /** Opens the files: what is added is kept from now on. */
  constructor(sink: FileSink, options: RunFolderOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#facts = options.facts;
    this.#scrapes = new ScrapeLogWriter(options.redactPage);
    this.#gpuScrapes = new ScrapeLogWriter(options.redactPage);
    const { benchmarkId, canaries, gpuTelemetry, serverMetrics } = options.facts.plan;
    this.#try(() => {
      this.#recordFile = sink.openLines(RUN_FILES.records);
      this.#recordFile.append([RecordFileWriter.head(benchmarkId)]);
      if (canaries) {
        this.#canaryFile = sink.openLines(RUN_FILES.canaries);
        this.#canaryFile.append([canaryFileHead(benchmarkId)]);
      }
      if (gpuTelemetry !== undefined) {
        this.#gpuFile = sink.openLines(RUN_FILES.gpuTelemetry);
        this.#gpuFile.append([ScrapeLogWriter.head(benchmarkId)]);
      }
      if (serverMetrics === undefined) return;
      this.#scrapeFile = sink.openLines(RUN_FILES.serverMetrics);
      this.#scrapeFile.append([ScrapeLogWriter.head(benchmarkId)]);
    });
  }

  /** Writes what is known of the run before it begins. */
  async begin(): Promise<void> {
    this.#planHash = await planHash(this.#options.facts.plan);
    await this.#writeManifest(undefined);
  }

  /** Adds what became known since the beginning; written with what follows. */
  setFacts(facts: RunFacts): void {
    this.#facts = facts;
  }

  /** Adds a record, and says its place; nothing of it is kept but copies. */
  addRecord(record: StoredRecord): void {
    if (this.#failure !== undefined) return;
    const { row } = record;
    row[RECORD_FIELD.takenNs] = nextPlace(this.#placeNs, row[RECORD_FIELD.endNs] as number);
    this.#placeNs = row[RECORD_FIELD.takenNs] as number;
    this.#records.add(record);
    if (this.#records.isFull) this.flush();
  }

  /** Adds canaries. */
  addCanaries(rows: CanaryRows): void {
    this.#canaryPlaceNs = canaryPlace(this.#canaryPlaceNs, rows.rows);
    const placed = { ...rows, placeNs: this.#canaryPlaceNs };
    this.#try(() => this.#canaryFile?.append(canaryBlock(placed)));
  }

  /** Adds what scraping found. */
  addScrape(message: ScrapeMessage): void {
    this.#try(() => this.#scrapeFile?.append(this.#scrapes.block(message)));
  }

  /** Adds what scraping of GPU telemetry found. */
  addGpuScrape(message: ScrapeMessage): void {
    this.#try(() => this.#gpuFile?.append(this.#gpuScrapes.block(message)));
  }

  /** Adds a session's facts: see {@linkcode SessionBook}. */
  addSession(line: string): void {
    this.#try(() => {
      this.#sessionFile ??= this.#sink.openLines(RUN_FILES.sessions);
      this.#sessionFile.append([encoder.encode(`${this.#options.redactPage(line)}\n`)]);
    });
  }

  /** Hands over what has gathered. */
  flush(): void {
    if (this.#records.count === 0) return;
    this.#try(() => this.#recordFile?.append(this.#records.take()));
  }

  /** @param clockAheadMs against shard 0's; written at once, as whoever is killed says nothing more */
  beginPhase(kind: PhaseFacts["kind"], startNs: number, clockAheadMs?: number): void {
    this.#phases.push({
      ...{ kind, startNs, endNs: undefined },
      ...(clockAheadMs === undefined ? {} : { clockAheadMs }),
    });
    this.#writeManifest(undefined);
  }

  endPhase(endNs: number): void {
    const phase = this.#phases.pop();
    if (phase !== undefined) this.#phases.push({ ...phase, endNs });
    this.#writeManifest(undefined);
  }

  /** A person changed the load: what a killed run leaves must say so, too. */
  addChange(change: LoadChange): void {
    this.#changes.push(change);
    this.#writeManifest(undefined);
  }

  /**
   * Writes the last of it.
   * @returns what could not be written during the run; undefined if all is there
   */
  async finish(summary: RunSummary): Promise<string | undefined> {
    this.flush();
    this.#close();
    await this.#writeManifest(summary);
    return this.#failure;
  }

  /** Ends without a summary; nothing more is written. */
  async abandon(): Promise<void> {
    this.#close();
    await this.#written;
    this.#failure ??= "The run never began";
  }

  #close(): void {
    const files = [this.#recordFile, this.#scrapeFile, this.#gpuFile, this.#canaryFile];
    for (const file of [...files, this.#sessionFile]) {
      try {
        file?.close();
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #writeManifest(summary: RunSummary | undefined): Promise<void> {
    const manifest = manifestText({
      format: RUN_FORMAT,
      version: RUN_VERSION,
      product: USER_AGENT,
      planHash: this.#planHash,
      facts: this.#facts,
      phases: this.#phases,
      changes: this.#changes.length > 0 ? this.#changes : undefined,
      summary,
    });
    const text = sealedJson(redactedJson(manifest, this.#options.redactPage));
    const write = async (): Promise<void> => {
      if (this.#failure !== undefined) return;
      try {
        await this.#sink.write(RUN_FILES.manifest, [text]);
      } catch (error) {
        this.#fail(error);
      }
    };
    this.#written = this.#written.then(write);
    return this.#written;
  }

  #try(action: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ExportError)) throw error;
    if (this.#failure !== undefined) return;
    this.#failure = error.message;
    this.#options.onFailure(error.message);
  }
}
