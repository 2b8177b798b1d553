/** The thread that counts the tokens of replies with a foreign tokenizer. */

import { JobCells } from "../../../core/thread/job_cells.ts";
import { lowerThreadPriority } from "../../../core/thread/thread_priority.ts";
import { workerScope } from "../../../core/thread/worker_scope.ts";
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
  new JobCells(data.cells)
    .answerJobs(data.port, ({ text }: CountingJob) => tokenizer.count(text));
};
scope.postMessage({ type: "ready" });
