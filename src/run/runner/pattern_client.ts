import { patternPermissions } from "../../config/sandbox/permissions.ts";
import { JobCells } from "../../core/thread/job_cells.ts";
import {
  type DistantPatternsParts,
  PATTERN_MS,
} from "../../measurement/answers/patterns/distant_patterns.ts";
import type { ToPatternThread } from "../../measurement/answers/patterns/pattern_thread.ts";
import { WorkerClient } from "./worker_client.ts";

/** Main's end of the thread that tests replies against foreign patterns. */
export class PatternClient {
  readonly #worker: WorkerClient<ToPatternThread, { readonly type: "ready" }>;
  readonly #cells = new JobCells();
  /** For the thread of the results. */
  readonly parts: DistantPatternsParts;

  /** Starts the thread. */
  constructor() {
    const { port1, port2 } = new MessageChannel();
    const url = new URL("../../measurement/answers/patterns/pattern_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("patterns", url, patternPermissions(), {});
    const { buffer: cells } = this.#cells;
    this.#worker.post({ type: "init", cells, port: port1 }, [port1]);
    this.parts = { port: port2, cells };
  }

  /** A sentence about replies that were not tested; undefined if all were. */
  get note(): string | undefined {
    const { unanswered: untested } = this.#cells;
    if (untested === 0) return undefined;
    const answers = untested === 1 ? "1 answer was" : `${untested} answers were`;
    return `${answers} not checked: a pattern took more than ${PATTERN_MS / 1000} s for a reply; ` +
      "use a simpler pattern";
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }
}
