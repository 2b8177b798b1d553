import type { NetworkProbePlan } from "../../config/plan/network_latency_plan.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { scrapeWorkerPermissions } from "../../config/sandbox/permissions.ts";
import { ClockCells } from "../../core/thread/clock_cells.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import type {
  FromNetworkThread,
  ToNetworkThread,
} from "../../telemetry/network_latency/messages.ts";
import type { NetworkSample } from "../../telemetry/network_latency/network_sample.ts";
import { WorkerClient } from "./worker_client.ts";

/** Main's end of the thread that probes the network. One that dies ends the probing, not the run. */
export class NetworkClient {
  readonly #worker: WorkerClient<ToNetworkThread, FromNetworkThread>;
  readonly #plan: NetworkProbePlan;
  #clockOffsetMs = 0;

  /** Starts the thread; it may reach the inference servers alone. */
  constructor({ targets }: RunPlan, plan: NetworkProbePlan, onDeath: (text: string) => void) {
    this.#plan = plan;
    const url = new URL("../../telemetry/network_latency/network_thread.ts", import.meta.url);
    const permissions = scrapeWorkerPermissions(targets.map(({ origin }) => origin));
    this.#worker = new WorkerClient("network", url, permissions, {
      onDeath: (reason) =>
        onDeath(`The network probe thread died; network latency unknown: ${reason}`),
    });
  }

  /** Gives the thread its orders and sets its clock. */
  async init(clock: MainClock): Promise<void> {
    await this.#worker.ready.catch(() => {});
    if (!this.#worker.isAlive) return;
    const cells = new ClockCells();
    const { targets, intervalNs } = this.#plan;
    this.#worker.post({
      ...{ type: "init", targets, intervalMs: intervalNs / 1e6 },
      clock: cells.buffer,
    });
    this.#clockOffsetMs = clock.handshake(cells);
  }

  /** Has probing begin. */
  start(): void {
    this.#worker.post({ type: "start", clockOffsetMs: this.#clockOffsetMs });
  }

  /**
   * Ends the probing.
   * @param sinceNs from which on probes belong to the run
   */
  async stop(sinceNs: number, interrupt: AbortSignal): Promise<readonly NetworkSample[]> {
    const answer = this.#worker.next("stopped").catch(() => undefined);
    this.#worker.post({ type: "stop", topUp: !interrupt.aborted, sinceNs });
    return (await answer)?.samples ?? [];
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }
}
