/**
 * The arrival process, on a thread of its own that does nothing else.
 *
 * Timers of the event loop fire 1.1-1.5 ms late. A thread that blocks on shared memory wakes within
 * 0.1 ms, and its message reaches a load worker in 0.05 ms; neither side spins meanwhile, where
 * finishing each wait by yielding would keep a core busy at a thousand requests per second.
 */

import { arrivals } from "../workload/arrivals.ts";
import { ControlBlock } from "./control_block.ts";
import type { PacerInit, PacerStart } from "./messages.ts";
import { ClockCells } from "../thread/clock_cells.ts";
import { answerHandshake, type RunClock, workerClock } from "../thread/run_clock.ts";
import { workerScope } from "../thread/worker_scope.ts";

const scope = workerScope();
let control: ControlBlock;
let ticks: readonly MessagePort[] = [];

scope.onmessage = (event: MessageEvent<PacerInit>) => {
  control = new ControlBlock(event.data.control);
  ticks = event.data.ticks;
  scope.onmessage = (event: MessageEvent<PacerStart>) => pace(event.data);
  answerHandshake(new ClockCells(event.data.clock));
};
scope.postMessage({ type: "ready" });

function pace(start: PacerStart): void {
  const { plan } = start;
  if (plan.load.loop === "open") {
    const clock = workerClock(start.clockOffsetMs);
    let arrived = 0;
    for (const offset of arrivals(plan.load, start.seed, plan.kind)) {
      if (arrived >= plan.requestCount || offset >= plan.durationNs) break;
      sleepUntil(clock, start.startNs + offset);
      if (control.stopped) break;
      control.setArrived(arrived + 1);
      ticks[arrived % ticks.length]?.postMessage(null);
      arrived++;
    }
  }
  control.endArrivals();
  // Every worker looks once more, to find that nothing is left to come.
  for (const port of ticks) port.postMessage(null);
}

function sleepUntil(clock: RunClock, dueNs: number): void {
  for (;;) {
    const leftMs = (dueNs - clock.nowNs()) / 1e6;
    if (leftMs <= 0 || control.stopped) return;
    control.sleep(leftMs);
  }
}
