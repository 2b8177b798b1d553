/**
 * The thread that holds the records, computes, and writes the files. It may write the artifact
 * folder and do nothing else.
 */

import { PayloadTable } from "../dataset/payload_table.ts";
import { buildTokenizer } from "../dataset/tokenizer_source.ts";
import { endpointType } from "../endpoint/endpoint_types.ts";
import { inputConfig } from "../export/input_config.ts";
import { FolderSink } from "../export/file_sink.ts";
import type { RecordMessage } from "../load/messages.ts";
import { workerScope } from "../thread/worker_scope.ts";
import type { FullRecord } from "../metrics/full_record.ts";
import { ERROR_KINDS } from "../record/error_kind.ts";
import { lowerThreadPriority } from "../thread/thread_priority.ts";
import type { RecordBlock } from "../record/record_block.ts";
import { redactor } from "../secrets/redactor.ts";
import { BlockReader } from "./block_reader.ts";
import { MetricsResults } from "../server_metrics/metrics_results.ts";
import type { FromResultsWorker, RunSummary, ToResultsWorker } from "./messages.ts";
import { RecordFiles } from "./record_files.ts";
import { ResultsStore } from "./results_store.ts";

/** How often the progress line gets new medians. */
const PROGRESS_MS = 250;

/** Longest stretch of work while nothing piles up. */
const SHIFT_MS = 0.2;
/** Blocks that may wait before it is worked without pauses. */
const MAX_CALM_INBOX = 64;

type Init = Extract<ToResultsWorker, { type: "init" }>;
type PhaseOver = Extract<ToResultsWorker, { type: "phaseOver" }>;

class ResultsWorker {
  readonly #init: Init;
  readonly #payloads: PayloadTable;
  readonly #reader: BlockReader;
  readonly #store: ResultsStore;
  readonly #files: RecordFiles;
  readonly #sink: FolderSink;
  readonly #metrics: MetricsResults | undefined;
  /** Numbers of the requests whose records came, of the phase under way. */
  #seen = new Set<number>();
  /** Load workers that have sent the last record of the phase. */
  #ended = new Set<number>();
  /** What has come from the load workers and is not taken in yet; the first is being taken in. */
  readonly #inbox: { readonly worker: number; readonly message: RecordMessage }[] = [];
  #over: PhaseOver | undefined;
  #changed = false;

  static async create(init: Init): Promise<ResultsWorker> {
    const tokenizer = await buildTokenizer(init.tokenizer);
    return new ResultsWorker(init, tokenizer);
  }

  private constructor(init: Init, tokenizer: Awaited<ReturnType<typeof buildTokenizer>>) {
    const { plan } = init;
    this.#init = init;
    this.#payloads = new PayloadTable(init.payloads);
    this.#reader = new BlockReader(this.#payloads, tokenizer);
    this.#store = new ResultsStore(
      plan,
      endpointType(plan.endpointType),
      this.#payloads,
      init.baseEpochNs,
      tokenizer?.name ?? "server",
    );
    this.#sink = new FolderSink(plan.output.directory);
    this.#files = new RecordFiles(plan, this.#sink, {
      baseEpochNs: init.baseEpochNs,
      payloads: this.#payloads,
      metrics: this.#store.profiling.metrics,
      redact: redactor(plan.secrets),
      onFailure: (message) => post({ type: "exportFailed", message }),
    });
    if (plan.serverMetrics !== undefined && init.scrapes !== undefined) {
      this.#metrics = new MetricsResults({
        plan: plan.serverMetrics,
        benchmarkId: plan.benchmarkId,
        prefix: plan.output.prefix,
        sink: this.#sink,
        scrapes: init.scrapes,
        baseEpochNs: init.baseEpochNs,
        hostname: init.hostname,
        secrets: plan.secrets,
        inputConfig: inputConfig(plan),
        onFailure: (message) => post({ type: "exportFailed", message }),
      });
    }
    init.records.forEach((port, worker) => {
      port.onmessage = (event: MessageEvent<RecordMessage>) => {
        this.#inbox.push({ worker, message: event.data });
        if (this.#inbox.length === 1) this.#takeIn();
      };
    });
    setInterval(() => this.#reportProgress(), PROGRESS_MS);
  }

  endPhase(over: PhaseOver): void {
    this.#over = over;
    this.#endPhaseIfStored();
  }

  async finish(summary: RunSummary): Promise<void> {
    const failure = this.#files.close();
    const metrics = await this.#metrics?.finish({
      window: { startNs: summary.startNs, endNs: summary.endNs },
      wasCancelled: summary.wasCancelled,
      isComplete: summary.scrapesComplete,
    });
    // Loaded only now: the run need not wait for tables and CSV.
    const { writeReport } = await import("./write_report.ts");
    const written = await writeReport(
      this.#init.plan,
      this.#store,
      summary,
      this.#payloads,
      this.#sink,
      { names: [...this.#files.names, ...metrics?.files ?? []], metrics: metrics?.report },
    );
    const first = failure ?? metrics?.failure ?? written.failure;
    post({ type: "done", written: { ...written, failure: first } });
  }

  /**
   * Takes in what has come, one block after another. A block waits as the few kilobytes it is until
   * the lines of the one before are made: as text it would be several times larger.
   */
  async #takeIn(): Promise<void> {
    for (let next = this.#inbox[0]; next !== undefined; next = this.#inbox[0]) {
      if (next.message.type === "records") {
        await this.#addBlock(next.message.block);
      } else {
        this.#ended.add(next.worker);
      }
      this.#inbox.shift();
    }
    this.#endPhaseIfStored();
  }

  /**
   * Works in short shifts with a pause after each, as long as the phase goes on and nothing piles up.
   * A kernel lets a running thread finish its slice of some milliseconds before another one that
   * wakes up, whatever their priorities, and the other one here has times to stamp.
   */
  async #addBlock(block: RecordBlock): Promise<void> {
    let shiftStartMs = performance.now();
    for (const full of this.#reader.read(block)) {
      this.#add(full);
      const urgent = this.#over !== undefined || this.#inbox.length > MAX_CALM_INBOX;
      if (urgent || performance.now() - shiftStartMs < SHIFT_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      shiftStartMs = performance.now();
    }
  }

  #add(full: FullRecord): void {
    this.#seen.add(full.record.index);
    const values = this.#store.add(full);
    this.#files.add(full, values);
    this.#changed = true;
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
    this.#seen = new Set();
    this.#ended = new Set();
    this.#reportProgress();
    post({ type: "phaseStored", phase: over.phase });
  }

  /** Requests that a dead worker had claimed count as failed. */
  #addLost(over: PhaseOver): void {
    for (let index = 0; index < over.claimed; index++) {
      if (this.#seen.has(index)) continue;
      this.#add({
        record: this.#reader.missing({
          index,
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

  #reportProgress(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#files.flush();
    post({ type: "progress", ...this.#store.progress });
  }
}

function post(message: FromResultsWorker): void {
  scope.postMessage(message);
}

const scope = workerScope();
let worker: ResultsWorker | undefined;
scope.onmessage = async (event: MessageEvent<ToResultsWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      await lowerThreadPriority();
      worker = await ResultsWorker.create(message);
      post({ type: "initialized" });
      break;
    case "phaseOver":
      worker?.endPhase(message);
      break;
    case "finish":
      await worker?.finish(message.summary);
      break;
  }
};
post({ type: "ready" });
