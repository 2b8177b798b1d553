import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import type {
  FromResultsWorker,
  ResultsProgress,
  ToResultsWorker,
  WrittenReport,
} from "../../results/collect/messages.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import { resultsWorkerPermissions } from "../../config/sandbox/permissions.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";
import { WorkerClient } from "./worker_client.ts";

type Message<T extends ToResultsWorker["type"]> = Omit<
  Extract<ToResultsWorker, { type: T }>,
  "type"
>;

/** What the results worker has to say meanwhile. */
export interface ResultsHooks {
  onWarning(text: string): void;
  /** Called with the number of files once all figures are known. */
  onWriting(files: number): void;
}

const NO_PROGRESS: ResultsProgress = {
  ...{ ttftP50Ms: NaN, itlP50Ms: NaN, tokensPerChunk: 1 },
  unexpected: 0,
};

/** Main's end of the results worker; it may serve one run after another. */
export class ResultsClient {
  #hooks: ResultsHooks;
  readonly #worker: WorkerClient<ToResultsWorker, FromResultsWorker>;
  /** The folder that the thread may write. */
  readonly directory: string;
  /** What is known so far, for the progress line. */
  progress: ResultsProgress = NO_PROGRESS;

  /** Called when the run should end by what its records say; maybe several times. */
  onHopeless: (end: RunEnd) => void = () => {};

  /**
   * Starts the thread; it may write into `directory` alone.
   * @param recordingPath a file elsewhere that it may write, too
   */
  constructor(
    directory: string,
    recordingPath: string | undefined,
    hooks: ResultsHooks,
  ) {
    this.#hooks = hooks;
    this.directory = directory;
    const url = new URL("../../results/collect/results_thread.ts", import.meta.url);
    const permissions = resultsWorkerPermissions(directory, recordingPath);
    this.#worker = new WorkerClient("results", url, permissions, {
      onMessage: (message) => {
        if (message.type === "progress") {
          this.progress = message.progress;
          if (message.progress.hopeless !== undefined) this.onHopeless(message.progress.hopeless);
        } else if (message.type === "writing") this.#hooks.onWriting(message.files);
        else if (message.type === "exportFailed") this.#hooks.onWarning(message.message);
      },
    });
  }

  /** Whether the thread has not died. */
  get isAlive(): boolean {
    return this.#worker.isAlive;
  }

  /** Begins another run, after the one before has finished. */
  reuse(hooks: ResultsHooks): this {
    this.#hooks = hooks;
    this.progress = NO_PROGRESS;
    this.onHopeless = () => {};
    return this;
  }

  /** Gives the worker its orders. */
  async init(orders: Message<"init">): Promise<void> {
    await this.#worker.ready;
    const initialized = this.#worker.next("initialized");
    const { records, scrapes, gpuScrapes } = orders;
    const counting = orders.tokenizer.kind === "thread" ? orders.tokenizer.port : undefined;
    const ports = [...records, scrapes, gpuScrapes, counting, orders.patterns?.port]
      .filter((port) => port !== undefined);
    this.#worker.post({ type: "init", ...orders }, ports);
    await initialized;
  }

  /** Hands over what the servers said of themselves. */
  setServers(servers: readonly ServerInfo[]): void {
    this.#worker.post({ type: "servers", servers });
  }

  /** Has a change of the load by hand kept with the run. */
  loadChanged(change: LoadChange): void {
    this.#worker.post({ type: "loadChanged", change });
  }

  /** Hands over the next conversations of a file that is sent while it is read. */
  addPage(page: PayloadPage): void {
    this.#worker.post({ type: "page", page });
  }

  /** Announces that a phase has begun. */
  phaseBegun(
    phase: "warmup" | "profiling",
    startNs: number,
    clockAheadMs: number | undefined,
  ): void {
    this.#worker.post({ type: "phaseBegun", phase, startNs, clockAheadMs });
  }

  /** Waits until every record of a phase is taken in. */
  async phaseOver(over: Message<"phaseOver">): Promise<void> {
    const stored = this.#worker.next("phaseStored");
    this.#worker.post({ type: "phaseOver", ...over });
    await stored;
  }

  /** Has the report made and written. */
  async finish(orders: Message<"finish">): Promise<WrittenReport> {
    const done = this.#worker.next("done");
    this.#worker.post({ type: "finish", ...orders });
    return (await done).written;
  }

  /**
   * Has the last file of a shard written.
   * @returns why it could not be
   */
  async seal(facts: Message<"seal">["facts"]): Promise<string | undefined> {
    const sealed = this.#worker.next("sealed");
    this.#worker.post({ type: "seal", facts });
    return (await sealed).failure;
  }

  /** Has everything removed that was written of a run which never began. */
  async discard(): Promise<void> {
    if (!this.#worker.isAlive) return;
    const discarded = this.#worker.next("discarded").catch(() => {});
    this.#worker.post({ type: "discard" });
    await discarded;
  }

  /** Has it written down what became of sending the results to other systems. */
  async exported(outcomes: Message<"exported">["outcomes"]): Promise<void> {
    const noted = this.#worker.next("exportsNoted");
    this.#worker.post({ type: "exported", outcomes });
    await noted;
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }
}
