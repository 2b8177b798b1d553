/** The thread that counts the tokens of replies with a foreign tokenizer. */

import { lowerThreadPriority } from "../../../core/thread/thread_priority.ts";
import { workerScope } from "../../../core/thread/worker_scope.ts";
import { CountingCells } from "./counting_cells.ts";
import type { CountingJob } from "./distant_tokenizer.ts";
import { fileTokenizer, type TokenizerFiles } from "./file_tokenizer.ts";

/** Orders of the thread: the tokenizer, and where requests come from and results go. */
export interface ToTokenizerThread {
  readonly type: "init";
  readonly files: TokenizerFiles;
  readonly cells: SharedArrayBuffer;
  readonly port: MessagePort;
}

const scope = workerScope();
scope.onmessage = async ({ data }: MessageEvent<ToTokenizerThread>) => {
  await lowerThreadPriority();
  const tokenizer = fileTokenizer(data.files);
  const cells = new CountingCells(data.cells);
  data.port.onmessage = ({ data: { job, text } }: MessageEvent<CountingJob>) => {
    let tokens: number | undefined;
    try {
      tokens = tokenizer.count(text);
    } catch {
      // The thread that waits reports it.
    }
    cells.answer(job, tokens);
  };
};
scope.postMessage({ type: "ready" });
