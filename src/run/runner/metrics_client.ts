import { resultsWorkerPermissions } from "../../config/sandbox/permissions.ts";
import type { FromMetricsWorker, ToMetricsWorker } from "../../results/server_metrics/messages.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";
import { WorkerClient } from "./worker_client.ts";

type Live = Extract<FromMetricsWorker, { type: "live" }>;
type Done = Extract<FromMetricsWorker, { type: "done" }>;
type Message<T extends ToMetricsWorker["type"]> = Extract<ToMetricsWorker, { type: T }>;

/** Live display of server metrics. */
export interface MetricsClientHooks {
  readonly screen: { readonly width: number; readonly color: boolean };
  onWarning(text: string): void;
  /** Called with the requested figures; undefined for no live display. */
  readonly onLive: ((live: Live, elapsedSeconds: number) => void) | undefined;
}

/** Main's end of the thread of server metrics. */
export class MetricsClient {
  readonly #worker: WorkerClient<ToMetricsWorker, FromMetricsWorker>;
  readonly #hooks: MetricsClientHooks;
  #elapsedSeconds = 0;
  #isLiveAsked = false;

  /**
   * Starts the thread; it may write into `directory` alone.
   * @param recordingPath a file elsewhere that it may write, too
   */
  constructor(directory: string, recordingPath: string | undefined, hooks: MetricsClientHooks) {
    this.#hooks = hooks;
    const url = new URL("../../results/server_metrics/metrics_thread.ts", import.meta.url);
    const permissions = resultsWorkerPermissions(directory, recordingPath);
    this.#worker = new WorkerClient("results", url, permissions, {
      onMessage: (message) => this.#onMessage(message),
    });
  }

  /** Gives the worker its orders. */
  async init(orders: Message<"init">["orders"]): Promise<void> {
    await this.#worker.ready;
    this.#worker.post({ type: "init", orders }, [orders.scrapes]);
  }

  /** Asks for the figures of a window. */
  askLive(window: TimeWindow, elapsedSeconds: number): void {
    // Questions must not pile up where many series make answers slow.
    if (this.#hooks.onLive === undefined || this.#isLiveAsked) return;
    this.#isLiveAsked = true;
    this.#elapsedSeconds = elapsedSeconds;
    this.#worker.post({ type: "live", window, width: this.#hooks.screen.width });
  }

  /** Has the folder left as it is: main may have no right to it any more. */
  async abandon(): Promise<void> {
    const abandoned = this.#worker.next("abandoned");
    this.#worker.post({ type: "abandon" });
    await abandoned;
  }

  /** Has the report made and written. */
  finish(summary: Message<"finish">["summary"]): Promise<Done> {
    const done = this.#worker.next("done");
    this.#worker.post({ type: "finish", summary, ...this.#hooks.screen });
    return done;
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }

  #onMessage(message: FromMetricsWorker): void {
    if (message.type === "exportFailed") this.#hooks.onWarning(message.message);
    else if (message.type === "live") {
      this.#isLiveAsked = false;
      this.#hooks.onLive?.(message, this.#elapsedSeconds);
    }
  }
}
