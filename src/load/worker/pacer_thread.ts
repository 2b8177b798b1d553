/**
 * The arrival process, on a thread of its own that does nothing else.
 *
 * Timers of the event loop fire 1.1-1.5 ms late. A thread that blocks on shared memory wakes within
 * 0.1 ms, and its message reaches a load worker in 0.05 ms. Neither side spins. Finishing each wait
 * by yielding would keep a core busy at a thousand requests per second.
 */

import { ClockCells } from "../../core/thread/clock_cells.ts";
import { answerHandshake, workerClock } from "../../core/thread/run_clock.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { ControlBlock } from "./control_block.ts";
import type { PacerInit, PacerStart } from "./messages.ts";
import { Pacer } from "./pacer.ts";

const scope = workerScope();
scope.onmessage = ({ data }: MessageEvent<PacerInit>) => {
  const pacer = new Pacer(new ControlBlock(data.control), data.workload, data.ticks);
  scope.onmessage = ({ data: start }: MessageEvent<PacerStart>) =>
    pacer.pace(start, workerClock(start.clockOffsetMs));
  answerHandshake(new ClockCells(data.clock));
};
scope.postMessage({ type: "ready" });
