/**
 * The code of a load worker, or of the pacer, that does what a test says: it passes on what it hears
 * of its run, and ends its phase, or itself, when it is told to.
 */

import { ClockCells } from "../../src/core/thread/clock_cells.ts";
import { answerHandshake } from "../../src/core/thread/run_clock.ts";
import { workerScope } from "../../src/core/thread/worker_scope.ts";
import type { PacerInit, PacerStart, ToLoadWorker } from "../../src/load/worker/messages.ts";

/** From the test, over the port of the records. */
export type ThreadOrder = "echo" | "finish" | "finishLate" | "giveUp" | "die";

/** To the test. */
export type ThreadWord =
  | Exclude<ToLoadWorker, { type: "init" }>
  | { readonly type: "echo" }
  | { readonly type: "paced"; readonly start: PacerStart };

const scope = workerScope();
let results: MessagePort | undefined;
const say = (word: ThreadWord): void => results?.postMessage(word);

scope.onmessage = ({ data }: MessageEvent<ToLoadWorker | PacerInit | PacerStart>) => {
  if (!("type" in data)) obeyAsPacer(data);
  else if (data.type === "init") {
    ({ results } = data);
    results.onmessage = ({ data: order }: MessageEvent<ThreadOrder>) => obey(order, data.worker);
    if (data.ticks !== undefined) data.ticks.onmessage = ({ data: word }) => say(word);
    answerHandshake(new ClockCells(data.clock));
  } else say(data);
};
scope.postMessage({ type: "ready" });

function obey(order: ThreadOrder, worker: number): void {
  if (order === "die") throw new Error("Broken on purpose");
  if (order === "echo") say({ type: "echo" });
  else if (order === "giveUp") {
    scope.postMessage({
      type: "givenUp",
      end: { reason: "error_rate", text: `worker ${worker} said so` },
    });
  } else {
    const stalls = order === "finishLate" ? [{ startNs: 1.6e9, endNs: 6.5e9 }] : [];
    scope.postMessage({ type: "phaseDone", loopLagMs: Float64Array.of(worker), stalls });
  }
}

let ticks: readonly MessagePort[] = [];

/** A pacer says by its ticks what it was told, and dies where nothing is to be sent. */
function obeyAsPacer(message: PacerInit | PacerStart): void {
  if ("ticks" in message) {
    ticks = message.ticks;
    answerHandshake(new ClockCells(message.clock));
    return;
  }
  if (message.plan.requestCount === 0) throw new Error("Broken on purpose");
  for (const port of ticks) port.postMessage({ type: "paced", start: message });
}
