/**
 * Holds the records of a run as they come, computes, and writes the files: longer than other files,
 * because records, phases, pages of prompts and the requests of dead workers wait for each other here.
 */

import type { GpuCollector } from "./gpu_telemetry.ts";
import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import { type PayloadSource, PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { exportsJson } from "../../report/export/summary/exports_json.ts";
import { giveRoomBack, releaseFolder } from "../../report/export/folder_claim.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type { RecordMessage } from "../../load/worker/messages.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import { type RecordBlock, rowsOf } from "../../client/record/record_block.ts";
import { FIELD, RECORD_FIELD } from "../../client/record/request_fields.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";
import { withFailure } from "./with_failure.ts";
import { redactedJson, type Redactor, redactor } from "../../core/secrets/redactor.ts";
import { globalIndexOf } from "../../config/shard/shard.ts";
import { HeapTrimmer } from "../../core/thread/heap_trimmer.ts";
import { inSlices } from "../../core/thread/in_slices.ts";
import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { NumberStore } from "../../core/statistics/number_store.ts";
import { NumberSet } from "../../core/statistics/number_set.ts";
import type { MetricsResults } from "../server_metrics/metrics_results.ts";
import { FlawExcerpts } from "./flaw_excerpts.ts";
import { BlockReader, type ReadRecord } from "./block_reader.ts";
import type { Finish, FromResultsWorker, ToResultsWorker } from "./messages.ts";
import { LiveView } from "./live_view.ts";
import { ReplyDetectors } from "./reply_detectors.ts";
import { RecordFiles } from "./record_files.ts";
import { ErrorRateWatch } from "./error_rate_watch.ts";
import { ResultsParts } from "./results_parts.ts";
import type { RunFolderWriter } from "./run_folder_writer.ts";
import type { PhaseFacts, RunFacts } from "./run_manifest.ts";
import type { RecordWatch } from "./record_watch.ts";
import { RunRecords } from "./run_records.ts";
import type { ShardFacts } from "../../config/shard/shard_manifest.ts";
import { RUN_FILES, RUN_FOLDER } from "./run_files.ts";
import { PrefixResults } from "./prefix_results.ts";
import { RecordPages } from "./record_pages.ts";
import { RunSessions } from "./run_sessions.ts";
import { runWideWorker } from "./run_wide_worker.ts";
import { EXPORTS_FILE } from "../../report/export/artifact_names.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";

/** Interval at which the progress line gets new medians, and files the gathered lines. */
const PROGRESS_MS = 250;

/** Blocks that may wait before it is worked without pauses. */
const MAX_CALM_INBOX = 64;
/** Longest time that records are added without a pause while nothing is urgent, in ns. */
const CALM_SLICE_NS = 0.2e6;
/** What a thread sent before it died is here after so long, however busy the machine is. */
const ON_WAY_MS = 200;

type Init = Extract<ToResultsWorker, { type: "init" }>;
type PhaseOver = Extract<ToResultsWorker, { type: "phaseOver" }>;

/** See the module's comment. */
export class RunResults {
  readonly #init: Init;
  readonly #parts: ResultsParts;
  readonly #post: (message: FromResultsWorker) => void;
  readonly #redact: Redactor;
  readonly #payloads: PayloadSource;
  /** Conversations of a file that is sent while it is read. */
  readonly #pages: RecordPages | undefined;
  readonly #reader: BlockReader;
  #facts: RunFacts;
  readonly #records: RunRecords;
  /** A thread that goes on with another run would else keep these results. */
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #columns: NumberStore;
  readonly #files: RecordFiles;
  readonly #sessions: RunSessions;
  readonly #prefix: PrefixResults;
  readonly #sink: FileSink;
  /** undefined if no records are kept. */
  readonly #folder: RunFolderWriter | undefined;
  readonly #metrics: MetricsResults | undefined;
  readonly #gpus: GpuCollector | undefined;
  readonly #phases: PhaseFacts[] = [];
  /** Looks whether the objectives can still be met; undefined where nobody asked. */
  #watch: RecordWatch | undefined;
  /** Goes on when a phase has begun. */
  #onPhase: () => void = () => {};
  readonly #live = new LiveView();
  readonly #errorRate: ErrorRateWatch;
  /** Numbers of the requests whose records came, of the phase under way. */
  #seen = new NumberSet();
  /** Load workers that have sent the last record of the phase. */
  #ended = new Set<number>();
  /** Messages of the load workers that wait to be taken in; the first one is under way. */
  readonly #inbox: { readonly worker: number; readonly message: RecordMessage }[] = [];
  /** Dead load workers whose requests without a record count as lost. */
  readonly #silent = new Set<number>();
  readonly #trimmer = new HeapTrimmer();
  #over: PhaseOver | undefined;
  #changed = false;
  /** Whether main was told that too many requests have failed. */
  #isEnding = false;

  /**
   * @param sink of the artifact folder
   * @param post sends a message to main
   */
  static async create(
    init: Init,
    sink: FileSink,
    post: (message: FromResultsWorker) => void,
  ): Promise<RunResults> {
    const results = new RunResults(init, await ResultsParts.load(init, sink), sink, post);
    await results.#folder?.begin();
    return results;
  }

  private constructor(
    init: Init,
    parts: ResultsParts,
    sink: FileSink,
    post: (message: FromResultsWorker) => void,
  ) {
    const { expectation, tokenizer } = parts;
    const { plan } = init;
    const onFailure = (message: string): void => post({ type: "exportFailed", message });
    this.#init = init;
    this.#parts = parts;
    this.#post = post;
    this.#redact = redactor(plan.secrets);
    this.#sink = sink;
    if (init.isPaged) this.#pages = new RecordPages(init.payloads, plan.shard);
    const pages = this.#pages?.window;
    this.#payloads = pages ?? new PayloadTable(init.payloads);
    const type = configuredType(plan);
    const producesImages = type.producesImages === true;
    this.#reader = new BlockReader(this.#payloads, tokenizer, expectation, {
      producesImages,
      prefersUsage: plan.prefersUsage === true,
      detectors: type.producesTokens ? new ReplyDetectors(init.payloads.salts) : undefined,
      verdicts: type.producesTokens ? parts.verdicts : undefined,
      excerpts: new FlawExcerpts(type, this.#redact),
    });
    this.#errorRate = new ErrorRateWatch(plan.maxErrorRate);
    this.#facts = {
      plan,
      baseEpochNs: init.baseEpochNs,
      tokenizer: tokenizer?.name ?? "server",
      hasImages: producesImages || init.payloads.images.some((images) => images > 0),
      machine: init.machine,
      threads: init.threads,
    };
    this.#columns = new NumberStore(sink.openScratch?.bind(sink));
    this.#records = new RunRecords(plan, type, this.#facts.hasImages, this.#columns);
    this.#sessions = new RunSessions(
      plan,
      { payloads: this.#payloads, data: init.payloads, pages },
      this.#records.profiling.sessionBook,
    );
    this.#prefix = new PrefixResults(plan, type, this.#payloads, tokenizer);
    this.#files = new RecordFiles(plan, sink, {
      baseEpochNs: init.baseEpochNs,
      payloads: this.#payloads,
      metrics: this.#records.profiling.metrics,
      objectives: this.#records.profiling.options.objectives,
      blockTokens: this.#records.profiling.cacheBlockTokens,
      redact: this.#redact,
      onFailure,
    });
    this.#folder = parts.runFolder(this.#facts, onFailure);
    this.#metrics = parts.serverMetrics((message) => {
      this.#live.notePage();
      this.#folder?.addScrape(message);
    }, onFailure);
    this.#gpus = parts.gpuCollector((message) => this.#folder?.addGpuScrape(message));
    init.records.forEach((port, worker) => {
      port.onmessage = (event: MessageEvent<RecordMessage>) => {
        if (this.#silent.has(worker)) return;
        this.#inbox.push({ worker, message: event.data });
        if (this.#inbox.length === 1) this.#takeIn();
      };
    });
    this.#timer = setInterval(() => {
      this.#reportProgress();
      this.#trimmer.check();
    }, PROGRESS_MS);
  }

  /** Stores the facts that the servers reported. */
  setServers(servers: readonly ServerInfo[]): void {
    this.#facts = { ...this.#facts, servers };
    this.#folder?.setFacts(this.#facts);
  }

  /** Takes in the next conversations. */
  addPage(page: PayloadPage): void {
    this.#pages?.add(page);
  }

  beginPhase(
    kind: "warmup" | "profiling",
    startNs: number,
    clockAheadMs: number | undefined,
  ): void {
    this.#phases.push({ kind, startNs, endNs: undefined });
    const { isWatched, plan } = this.#init;
    if (isWatched) this.#live.beginPhase(kind, this.#records.profiling, plan.workers);
    if (kind === "profiling") {
      this.#watch = this.#parts.recordWatch(startNs, this.#records.profiling);
    }
    this.#folder?.beginPhase(kind, startNs, clockAheadMs);
    this.#metrics?.beginPhase(kind, startNs);
    this.#onPhase();
  }

  endPhase(over: PhaseOver): void {
    this.#metrics?.endPhase(over.endNs);
    const conclude = (): void => {
      this.#over = over;
      this.#endPhaseIfStored();
    };
    // Nothing follows the last record of a dead worker, and it may be on its way.
    if (over.lost.some((worker) => !this.#silent.has(worker))) setTimeout(conclude, ON_WAY_MS);
    else conclude();
  }

  async finish(
    { summary: measured, scrapesComplete, gpuScrapesComplete, screen }: Finish,
  ): Promise<void> {
    clearInterval(this.#timer);
    // The records are used up by the report.
    this.#live.end();
    for (const call of this.#sessions.unsent()) this.#files.addUnsent(call);
    const linesFailure = this.#files.close();
    const metrics = await this.#metrics?.finish({
      window: this.#records.profilingWindow(measured),
      wasCancelled: measured.wasCancelled,
      isComplete: scrapesComplete,
    });
    const gpu = await this.#gpus?.finish(
      this.#records.profilingWindow(measured),
      this.#facts.baseEpochNs,
      gpuScrapesComplete,
    );
    const failed = linesFailure ?? metrics?.failure;
    const prefix = this.#prefix.ideal(metrics?.report);
    if (this.#folder !== undefined) {
      this.#noteFailure(await this.#prefix.store(this.#sink, prefix));
    }
    const folderFailure = await this.#folder?.finish({
      ...withFailure(measured, failed),
      metricsInfo: metrics?.report.info ?? [],
      prefix,
    });
    const failure = failed ?? folderFailure;
    const summary = { ...withFailure(measured, failure), prefix };
    const { directory } = this.#facts.plan.output;
    await giveRoomBack(directory);
    // Loaded only now: the run need not wait for tables and CSV.
    const { writeRun } = await import("./write_run.ts");
    const written = await writeRun(
      { facts: this.#facts, phases: this.#phases, records: this.#records, summary, gpu },
      this.#sink,
      {
        names: [...this.#files.names, ...metrics?.files ?? []],
        metrics: metrics?.report,
        timeline: metrics?.timeline ?? [],
        payloads: this.#payloads instanceof PayloadTable ? this.#payloads : undefined,
        redact: this.#redact,
        screen,
        onWriting: (files) => this.#post({ type: "writing", files }),
      },
    );
    // The thread may go on with other runs.
    this.#columns.close();
    const lost = this.#sink.release === undefined
      ? await releaseFolder(directory)
      : await this.#sink.release();
    const problem = failure ?? written.failure ?? (lost || undefined);
    this.#post({ type: "done", written: { ...written, failure: problem } });
  }

  /**
   * Writes what a shard says of itself, by which it is known to be over.
   * @returns why it could not be written
   */
  async seal(facts: ShardFacts): Promise<string | undefined> {
    const { writeShardManifest } = await import("./write_shard_manifest.ts");
    try {
      await writeShardManifest(this.#facts.plan.output.directory, facts);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Removes what a run has written that never began. */
  async discard(): Promise<void> {
    clearInterval(this.#timer);
    const { directory } = this.#facts.plan.output;
    this.#files.close();
    await this.#folder?.abandon();
    await giveRoomBack(directory);
    for (const name of [...this.#files.names, ...Object.values(RUN_FILES), RUN_FOLDER]) {
      await Deno.remove(`${directory}/${name}`).catch(() => {});
    }
    await releaseFolder(directory);
  }

  /** Writes down what became of sending the results to other systems, when everything else is. */
  async noteExports(outcomes: readonly ExportOutcome[]): Promise<void> {
    const { tryToWrite } = await import("./write_summary.ts");
    this.#noteFailure(
      await tryToWrite(this.#sink, EXPORTS_FILE, [
        redactedJson(exportsJson(outcomes), this.#redact),
      ]),
    );
  }

  /** @param message why a file could not be written; undefined if it is */
  #noteFailure(message: string | undefined): void {
    if (message !== undefined) this.#post({ type: "exportFailed", message });
  }

  /**
   * Takes in what has come, one block after another. A block waits as the few kilobytes it is until
   * the lines of the one before are made: as text it would be several times larger.
   */
  async #takeIn(): Promise<void> {
    for (let next = this.#inbox[0]; next !== undefined; next = this.#inbox[0]) {
      if (next.message.type === "records") {
        await this.#addBlock(next.message.block);
      } else if (next.message.type === "canaries") {
        const { rows } = next.message;
        const worker = runWideWorker(next.worker, this.#init.plan.shard);
        this.#records.canaries.add(worker, rows);
        this.#live.addCanaries(next.worker, rows);
        this.#folder?.addCanaries({ worker, rows });
      } else {
        this.#ended.add(next.worker);
      }
      this.#inbox.shift();
    }
    this.#endPhaseIfStored();
  }

  /** Adds the records of a block: calmly as long as the phase goes on and nothing piles up. */
  async #addBlock(block: RecordBlock): Promise<void> {
    while (!this.#hasBegun(block)) await new Promise<void>((resolve) => this.#onPhase = resolve);
    if (this.#pages !== undefined) await this.#pages.waitFor(block);
    await inSlices(this.#adding(block), {
      timers: SYSTEM_TIMERS,
      nowNs: () => performance.now() * 1e6,
      sliceNs: CALM_SLICE_NS,
      isUrgent: () => this.#over !== undefined || this.#inbox.length > MAX_CALM_INBOX,
    });
  }

  *#adding(block: RecordBlock): Generator<void, void> {
    for (const record of this.#reader.read(block)) {
      this.#add(record);
      yield;
    }
  }

  /** Whether the phase of a block has begun: main tells so, and a load thread may be quicker. */
  #hasBegun(block: RecordBlock): boolean {
    if (block.count === 0 || this.#phases.length === this.#init.plan.phases.length) return true;
    const kind = rowsOf(block)[FIELD.phase] === 0 ? "warmup" : "profiling";
    return this.#phases.some((phase) => phase.kind === kind);
  }

  #add(full: ReadRecord): void {
    const { row, chunkNs, worker } = full.record;
    row[RECORD_FIELD.worker] = runWideWorker(worker, this.#init.plan.shard);
    this.#seen.add(full.record.index);
    const session = this.#sessions.add(full.record);
    if (session !== undefined) this.#folder?.addSession(session);
    const values = this.#records.add(full);
    this.#watch?.add(full.record, values);
    this.#live.add(full, values);
    this.#errorRate.add(full.record);
    this.#files.add(full, values);
    this.#prefix.add(full.record);
    this.#pages?.leave(full.record);
    this.#folder?.addRecord({ ...full, row, chunkNs });
    this.#changed = true;
    if (this.#errorRate.exceeded !== undefined && !this.#isEnding) {
      this.#isEnding = true;
      this.#reportProgress();
    }
  }

  #endPhaseIfStored(): void {
    const over = this.#over;
    if (over === undefined) return;
    const missing = this.#init.records.some((_, worker) =>
      !this.#ended.has(worker) && !over.lost.includes(worker)
    );
    // What a dead worker had sent is looked at before its other requests count as lost.
    if (missing || (over.lost.length > 0 && this.#inbox.length > 0)) return;
    if (over.lost.length > 0) this.#addLost(over);
    this.#over = undefined;
    const phase = this.#phases.pop();
    if (phase !== undefined) this.#phases.push({ ...phase, endNs: over.endNs });
    this.#folder?.endPhase(over.endNs);
    this.#seen = new NumberSet();
    this.#ended = new Set();
    this.#reportProgress();
    this.#post({ type: "phaseStored", phase: over.phase });
  }

  /** Requests that a dead worker had claimed count as failed. */
  #addLost(over: PhaseOver): void {
    for (const worker of over.lost) this.#silent.add(worker);
    for (let own = 0; own < over.claimed; own++) {
      const index = globalIndexOf(own, this.#init.plan.shard);
      if (this.#seen.has(index)) continue;
      this.#add({
        record: this.#reader.missing({
          index,
          // Where sessions have several requests, nobody knows whose it was.
          ...(!this.#payloads.hasConversations ? { session: index, turn: 0, turns: 1 } : {}),
          phase: over.phase === "warmup" ? 0 : 1,
          worker: over.lost[0] as number,
          entry: 0,
          endNs: over.endNs,
          errorKind: ERROR_KINDS.indexOf("worker_lost"),
        }),
        requestId: "",
        finishReason: null,
        error: "The thread that carried the request died",
        rawReply: undefined,
      });
    }
  }

  /** Stores a user's change of the load, or a mark. */
  addChange(change: LoadChange): void {
    this.#folder?.addChange(change);
  }

  #reportProgress(): void {
    // What is recent changes also where nothing comes.
    if (!this.#changed && !this.#live.isOn) return;
    this.#changed = false;
    this.#files.flush();
    this.#folder?.flush();
    const hopeless = this.#errorRate.exceeded ?? this.#watch?.hopeless();
    this.#post({
      type: "progress",
      progress: {
        ...this.#records.progress,
        hopeless,
        live: this.#live.now(this.#metrics?.endpoints),
        levels: this.#live.levels(this.#metrics?.endpoints),
      },
    });
  }
}
