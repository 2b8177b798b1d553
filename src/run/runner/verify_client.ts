import type { RunPlan } from "../../config/plan/run_plan.ts";
import { loadWorkerPermissions } from "../../config/sandbox/permissions.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import type { FromVerifyThread, ToVerifyThread } from "../../load/verify/messages.ts";
import { type DriftFindings, driftFindings } from "../../measurement/answers/drift_findings.ts";
import { WorkerClient } from "./worker_client.ts";

/** Main's end of the thread that asks the sample of `--verify drift`. */
export class VerifyClient {
  readonly #worker: WorkerClient<ToVerifyThread, FromVerifyThread>;
  readonly #plan: RunPlan;

  /** Starts the thread; it may connect only to the inference servers. */
  constructor(plan: RunPlan, onDeath: (text: string) => void) {
    this.#plan = plan;
    const url = new URL("../../load/verify/verify_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("verify", url, loadWorkerPermissions(plan.targets), {
      onDeath: (reason) => onDeath(`The verify thread died; drift unknown: ${reason}`),
    });
  }

  /** Gives the thread the prompts. */
  async init(payloads: PayloadData): Promise<void> {
    await this.#worker.ready.catch(() => {});
    this.#worker.post({ type: "init", plan: this.#plan, payloads });
  }

  /** Sends the sample without load, and waits for the answers, at most until the interrupt. */
  async quiet(interrupt: AbortSignal): Promise<void> {
    await untilAborted(this.#askedBy({ type: "quiet" }), interrupt).catch(() => {});
  }

  /** Sends the sample while the load runs, which begins after a delay in milliseconds. */
  beginLoad(delayMs: number): void {
    this.#worker.post({ type: "load", delayMs });
  }

  /** Ends the sending under load; waits for a request that is running, at most until the interrupt. */
  async endLoad(interrupt: AbortSignal): Promise<void> {
    await untilAborted(this.#askedBy({ type: "loadOver" }), interrupt).catch(() => {});
  }

  /** Compares the answers; undefined if the thread died. */
  async findings(): Promise<DriftFindings | undefined> {
    const answer = this.#worker.next("answers").catch(() => undefined);
    this.#worker.post({ type: "finish" });
    const answers = (await answer)?.answers;
    return answers && driftFindings(answers);
  }

  async #askedBy(message: ToVerifyThread): Promise<void> {
    const answer = this.#worker.next("asked").catch(() => undefined);
    this.#worker.post(message);
    await answer;
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }
}
