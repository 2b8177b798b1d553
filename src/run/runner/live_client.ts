import { livePermissions } from "../../config/sandbox/permissions.ts";
import type { LiveModel } from "../../report/live/live_model.ts";
import type { FromLiveThread, ToLiveThread } from "../../report/live/messages.ts";
import { WorkerClient } from "./worker_client.ts";

/** How often there is something new to serve. */
const MODEL_MS = 1000;
/** Longest that answers under way hold up the end of a run. */
const CLOSE_MS = 300;

/** Where a run is served while it goes on. */
export interface LiveAddress {
  readonly hostname: string;
  readonly port: number;
  /** Whoever does not know it gets nothing. */
  readonly token: string;
}

/** An address at which nobody can listen. */
export class LiveAddressError extends Error {
  override readonly name = "LiveAddressError";
}

/** Main's end of the live thread. A thread that dies ends the serving, not the run. */
export class LiveClient {
  readonly #worker: WorkerClient<ToLiveThread, FromLiveThread>;
  readonly #address: LiveAddress;
  #lastMs = -Infinity;
  #lastStage = "";

  /**
   * Starts the thread; it may listen at that address alone.
   * @param onDeath called if the thread dies
   */
  constructor(address: LiveAddress, onDeath: (text: string) => void) {
    this.#address = address;
    const url = new URL("../../report/live/live_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("live", url, livePermissions(liveHost(address)), {
      onDeath: (reason) =>
        onDeath(`The live page stopped (its thread died); the run continues: ${reason}`),
    });
  }

  /**
   * Has the thread listen.
   * @throws {LiveAddressError} if it cannot
   */
  async init(): Promise<void> {
    await this.#worker.ready.catch(() => {});
    if (!this.#worker.isAlive) return;
    const listening = this.#worker.next("listening");
    this.#worker.post({ type: "init", ...this.#address });
    const failure = (await listening.catch(() => undefined))?.failure;
    if (failure !== undefined) {
      throw new LiveAddressError(
        `--live: Cannot listen at ${liveHost(this.#address)}: ${failure}`,
      );
    }
  }

  /** Has a moment served, unless another one is new enough. */
  show(model: LiveModel): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < MODEL_MS && model.stage === this.#lastStage) return;
    this.#lastMs = nowMs;
    this.#lastStage = model.stage;
    this.#worker.post({ type: "model", model });
  }

  /** Frees the port and ends the thread. */
  async close(): Promise<void> {
    await this.#worker.closeAfter({ type: "close" }, "closed", CLOSE_MS);
  }
}

/** `host:port` as permissions and people write it. */
export function liveHost({ hostname, port }: Pick<LiveAddress, "hostname" | "port">): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
