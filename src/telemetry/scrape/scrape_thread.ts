/**
 * The thread that scrapes metrics endpoints. It may reach those hosts and do nothing else; what it
 * finds goes to the results worker as columns.
 */

import { ClockCells } from "../../core/thread/clock_cells.ts";
import { HeapTrimmer } from "../../core/thread/heap_trimmer.ts";
import { answerHandshake } from "../../core/thread/run_clock.ts";
import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import type { FromScrapeWorker, ToScrapeWorker } from "./messages.ts";
import { ScrapeWorker } from "./scrape_worker.ts";

function toMain(message: FromScrapeWorker): void {
  scope.postMessage(message);
}

/** More is in use only where the user raised the limits of pages. */
const MAX_TRIMMED_BYTES = 96e6;

const heap = new HeapTrimmer(MAX_TRIMMED_BYTES);
const scope = workerScope();
let worker: ScrapeWorker | undefined;
scope.onmessage = async (event: MessageEvent<ToScrapeWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      answerHandshake(new ClockCells(message.clock));
      worker = new ScrapeWorker(message, {
        timers: SYSTEM_TIMERS,
        toMain,
        onDelivered: () => heap.check(),
      });
      break;
    case "baseline":
      await worker?.baseline(message);
      break;
    case "start":
      worker?.start();
      break;
    case "snapshot":
      await worker?.snapshot();
      break;
    case "stop":
      await worker?.stop(message.lastScrape);
      break;
  }
};
toMain({ type: "ready" });
