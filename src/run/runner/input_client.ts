import { inputPermissions } from "../../config/sandbox/permissions.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import { untilGraceEnds } from "../../core/thread/until_grace_ends.ts";
import type { PageExtent, Pages } from "../../load/dataset/conversations/page_reader.ts";
import type { Dataset } from "../../load/dataset/load_dataset.ts";
import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import { PayloadTable } from "../../load/dataset/payloads/payload_table.ts";
import { errorOf } from "../../load/inputs/error_parts.ts";
import type { FromInputThread, ToInputThread } from "../../load/inputs/messages.ts";
import type { OpeningHooks } from "../../load/inputs/open_dataset.ts";
import { WorkerClient } from "./worker_client.ts";

/** Longest time that an interrupted run waits for the thread, in milliseconds. */
const LEAVE_MS = 500;

/**
 * Main's end of the input thread, which reads prompts and counts their tokens with a foreign
 * tokenizer.
 */
export class InputClient implements Pages {
  readonly #worker: WorkerClient<ToInputThread, FromInputThread>;
  /** Aborted when the run is interrupted. */
  readonly #interrupt: AbortSignal;

  private constructor(interrupt: AbortSignal, { onWarning, onNotice }: OpeningHooks) {
    this.#interrupt = interrupt;
    const url = new URL("../../load/inputs/input_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("input", url, inputPermissions(), {
      onMessage: (message) => {
        if (message.type === "warning") onWarning(message.text);
        else if (message.type === "notice") onNotice(message.text);
      },
    });
  }

  /**
   * Has another thread make the prompts of a run.
   * @throws {DatasetError} if an input or a tokenizer file cannot be used
   * @throws {HubError} if a tokenizer or a dataset cannot be fetched
   * @throws the interrupt's reason if it comes before the prompts are complete
   */
  static async load(
    plan: RunPlan,
    interrupt: AbortSignal,
    hooks: OpeningHooks,
  ): Promise<Dataset> {
    const client = new InputClient(interrupt, hooks);
    let isPaged = false;
    try {
      await untilAborted(client.#worker.ready, interrupt);
      const loaded = client.#worker.next("loaded");
      client.#worker.post({ type: "load", plan, paging: hooks.paging });
      const { inputs } = await untilAborted(loaded, interrupt);
      if ("errorName" in inputs) throw errorOf(inputs);
      isPaged = inputs.isPaged;
      return {
        payloads: new PayloadTable(inputs.payloads),
        pages: isPaged ? client : undefined,
        tokenizer: inputs.tokenizer,
      };
    } finally {
      if (!isPaged) client.close();
    }
  }

  async *pages(extent: PageExtent, interrupt: AbortSignal): AsyncGenerator<PayloadPage> {
    this.#worker.post({ type: "begin", extent });
    try {
      for (;;) {
        const answer = this.#worker.next("page");
        this.#worker.post({ type: "next" });
        const { page } = await untilAborted(answer, interrupt);
        if (page === undefined) return;
        if ("errorName" in page) throw errorOf(page);
        yield page;
      }
    } finally {
      await this.#endPhase();
    }
  }

  close(): void {
    this.#worker.close();
  }

  /** Has the thread read no further; a pattern without end is not waited for after an interrupt. */
  async #endPhase(): Promise<void> {
    const ended = this.#worker.next("ended").catch(() => undefined);
    this.#worker.post({ type: "end" });
    await untilGraceEnds(ended, this.#interrupt, LEAVE_MS).catch(() => this.close());
  }
}
