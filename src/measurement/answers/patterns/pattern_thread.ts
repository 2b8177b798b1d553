/** The thread that tests replies against foreign patterns. It has no permissions. */

import { JobCells } from "../../../core/thread/job_cells.ts";
import { lowerThreadPriority } from "../../../core/thread/thread_priority.ts";
import { workerScope } from "../../../core/thread/worker_scope.ts";
import type { DistantPatternsParts, PatternJob } from "./distant_patterns.ts";

/** Orders of the thread: where jobs come from and results go. */
export interface ToPatternThread extends DistantPatternsParts {
  readonly type: "init";
}

const scope = workerScope();
scope.onmessage = async ({ data }: MessageEvent<ToPatternThread>) => {
  await lowerThreadPriority();
  const cells = new JobCells(data.cells);
  cells.answerJobs(
    data.port,
    ({ pattern, flags, text }: PatternJob) => Number(new RegExp(pattern, flags).test(text)),
  );
  cells.begin();
};
scope.postMessage({ type: "ready" });
