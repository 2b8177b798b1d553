import { tokenizerPermissions } from "../../config/sandbox/permissions.ts";
import { JobCells } from "../../core/thread/job_cells.ts";
import type { DistantTokenizerParts } from "../../load/dataset/tokenizers/distant_tokenizer.ts";
import type { TokenizerFiles } from "../../load/dataset/tokenizers/file_tokenizer.ts";
import type { ToTokenizerThread } from "../../load/dataset/tokenizers/tokenizer_thread.ts";
import { WorkerClient } from "./worker_client.ts";

/** Main's end of the thread that counts tokens of replies with a foreign tokenizer. */
export class TokenizerClient {
  readonly #worker: WorkerClient<ToTokenizerThread, { readonly type: "ready" }>;
  readonly #cells = new JobCells();
  readonly #interrupt: AbortSignal;
  readonly #stop = (): void => this.#cells.stop();
  /** For the thread of the results. */
  readonly parts: DistantTokenizerParts;

  /**
   * Starts the thread.
   * @param interrupt after it, a count that takes too long is given up
   * @param onDeath called with the reason if the thread dies, which gives up counting as well
   */
  constructor(files: TokenizerFiles, interrupt: AbortSignal, onDeath: (reason: string) => void) {
    const { port1, port2 } = new MessageChannel();
    const url = new URL("../../load/dataset/tokenizers/tokenizer_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("tokenizer", url, tokenizerPermissions(), {
      onDeath: (reason) => {
        this.#stop();
        onDeath(reason);
      },
    });
    const { buffer: cells } = this.#cells;
    this.#worker.post({ type: "init", files, cells, port: port1 }, [port1]);
    this.parts = { kind: "thread", name: files.name, port: port2, cells };
    this.#interrupt = interrupt;
    if (interrupt.aborted) this.#stop();
    else interrupt.addEventListener("abort", this.#stop, { once: true });
  }

  /** A sentence about replies whose tokens were not counted; undefined if all were. */
  get note(): string | undefined {
    return this.#cells.unanswered === 0
      ? undefined
      : `The tokenizer ${this.parts.name} did not count the tokens of a reply in time after the ` +
        "interruption: output tokens after it are those of the server's usage, or unknown";
  }

  /** Ends the thread. */
  close(): void {
    this.#interrupt.removeEventListener("abort", this.#stop);
    this.#worker.close();
  }
}
