/** The thread that tests replies against foreign patterns. It has no permissions. */

import { lowerThreadPriority } from "../../../core/thread/thread_priority.ts";
import { workerScope } from "../../../core/thread/worker_scope.ts";
import type { DistantPatternsParts, PatternJob } from "./distant_patterns.ts";
import { PatternCells } from "./pattern_cells.ts";

/** Orders of the thread: where jobs come from and results go. */
export interface ToPatternThread extends DistantPatternsParts {
  readonly type: "init";
}

const scope = workerScope();
scope.onmessage = async ({ data }: MessageEvent<ToPatternThread>) => {
  await lowerThreadPriority();
  const cells = new PatternCells(data.cells);
  data.port.onmessage = ({ data: { job, pattern, flags, text } }: MessageEvent<PatternJob>) => {
    let matches: boolean | undefined;
    try {
      matches = new RegExp(pattern, flags).test(text);
    } catch {
      // The thread that waits notes it as not tested.
    }
    cells.answer(job, matches);
  };
  cells.begin();
};
scope.postMessage({ type: "ready" });
