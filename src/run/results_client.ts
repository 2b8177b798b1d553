import type {
  FromResultsWorker,
  RunSummary,
  ToResultsWorker,
  WrittenReport,
} from "../results/messages.ts";
import { resultsWorkerPermissions } from "../sandbox/permissions.ts";
import { startThread, type Thread } from "../sandbox/start_thread.ts";

type Message<T extends FromResultsWorker["type"]> = Extract<FromResultsWorker, { type: T }>;

/** Main's end of the results worker. */
export class ResultsClient {
  readonly #thread: Thread;
  readonly #onWarning: (text: string) => void;
  readonly #waiting = new Map<
    FromResultsWorker["type"],
    { resolve: (message: FromResultsWorker) => void; reject: (error: Error) => void }
  >();
  #death: Error | undefined;
  /** Medians so far, for the progress line. */
  progress: { readonly ttftP50Ms: number; readonly itlP50Ms: number } = {
    ttftP50Ms: NaN,
    itlP50Ms: NaN,
  };

  /**
   * Starts the thread; it may write into `directory` alone.
   * @param recordingPath a file elsewhere that it may write, too
   */
  constructor(
    directory: string,
    recordingPath: string | undefined,
    onWarning: (text: string) => void,
  ) {
    this.#onWarning = onWarning;
    const url = new URL("../results/results_worker.ts", import.meta.url);
    this.#thread = startThread(
      url,
      resultsWorkerPermissions(directory, recordingPath),
      (reason) => {
        this.#death = new Error(`The results thread died: ${reason}`);
        for (const { reject } of this.#waiting.values()) reject(this.#death);
      },
    );
  }

  /** Gives the worker its orders. */
  async init(orders: Omit<Extract<ToResultsWorker, { type: "init" }>, "type">): Promise<void> {
    await this.#thread.ready;
    this.#thread.worker.onmessage = (event: MessageEvent<FromResultsWorker>) =>
      this.#onMessage(event.data);
    const initialized = this.#next("initialized");
    const { records, scrapes } = orders;
    this.#post(
      { type: "init", ...orders },
      scrapes === undefined ? [...records] : [...records, scrapes],
    );
    await initialized;
  }

  /** Waits until every record of a phase is taken in. */
  async phaseOver(
    phase: "warmup" | "profiling",
    claimed: number,
    lost: readonly number[],
    endNs: number,
  ): Promise<void> {
    const stored = this.#next("phaseStored");
    this.#post({ type: "phaseOver", phase, claimed, lost, endNs });
    await stored;
  }

  /** Has the report made and written. */
  async finish(summary: RunSummary): Promise<WrittenReport> {
    const done = this.#next("done");
    this.#post({ type: "finish", summary });
    return (await done).written;
  }

  /** Ends the thread. */
  close(): void {
    this.#thread.worker.terminate();
  }

  #post(message: ToResultsWorker, transfer: Transferable[] = []): void {
    this.#thread.worker.postMessage(message, transfer);
  }

  #next<T extends FromResultsWorker["type"]>(type: T): Promise<Message<T>> {
    return new Promise((resolve, reject) => {
      if (this.#death !== undefined) reject(this.#death);
      this.#waiting.set(type, {
        resolve: resolve as (message: FromResultsWorker) => void,
        reject,
      });
    });
  }

  #onMessage(message: FromResultsWorker): void {
    if (message.type === "progress") this.progress = message;
    else if (message.type === "exportFailed") this.#onWarning(message.message);
    const waiting = this.#waiting.get(message.type);
    this.#waiting.delete(message.type);
    waiting?.resolve(message);
  }
}
