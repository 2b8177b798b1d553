/**
 * A thread that sends requests and reads their replies. It may reach the inference hosts and
 * nothing else.
 */

import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import { createTransport } from "../../client/http/create_transport.ts";
import { ClockCells } from "../../core/thread/clock_cells.ts";
import { answerHandshake, workerClock } from "../../core/thread/run_clock.ts";
import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { ControlBlock } from "./control_block.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { LoadWorker } from "./load_worker.ts";
import { LoopLagProbe } from "./loop_lag_probe.ts";
import type { FromLoadWorker, ToLoadWorker } from "./messages.ts";
import { rehearse } from "./rehearsal.ts";

const scope = workerScope();
const toMain = (message: FromLoadWorker): void => scope.postMessage(message);
let worker: LoadWorker | undefined;
/** Key of the last rehearsal: a thread that is reused for another run need not repeat it. */
let rehearsed: string | undefined;
let rehearsal: Promise<unknown> | undefined;
/** Whether its orders have not come yet. */
let isEarly = true;
let ports: readonly (MessagePort | undefined)[] = [];

scope.onmessage = async ({ data: message }: MessageEvent<ToLoadWorker>) => {
  switch (message.type) {
    case "rehearse":
      rehearseOnce(message.plan);
      break;
    case "init":
      isEarly = false;
      await rehearsal;
      worker = start(message);
      ports = [message.results, message.ticks, ...message.peers];
      answerHandshake(new ClockCells(message.clock));
      worker.openCanaries();
      break;
    case "phase":
      worker?.beginPhase(message.phase);
      break;
    case "page":
      worker?.addPage(message.page);
      break;
    case "rest":
      worker?.close();
      worker = undefined;
      for (const port of ports) port?.close();
      break;
    case "stop":
      worker?.stop();
      break;
    case "cancel":
      worker?.cancel(message.reason);
      break;
  }
};
toMain({ type: "ready" });

function rehearseOnce(plan: RunPlan): void {
  const { endpointType, body: { streaming }, phases } = plan;
  const what = `${endpointType} ${streaming}`;
  if (what === rehearsed) return;
  rehearsed = what;
  isEarly = true;
  // A thread that is slow at first catches up late with arrivals that do not wait for it.
  const isOpen = phases.some(({ load }) => load.loop === "open");
  rehearsal = rehearse(plan, configuredType(plan), workerClock, () => isOpen && isEarly);
}

function start(orders: Extract<ToLoadWorker, { type: "init" }>): LoadWorker {
  const { control, results, ticks, peers } = orders;
  const worker = new LoadWorker(orders, {
    endpointType: configuredType(orders.plan),
    control: new ControlBlock(control),
    timers: SYSTEM_TIMERS,
    lag: new LoopLagProbe(),
    clockOf: workerClock,
    createTransport,
    newRequestId: () => crypto.randomUUID(),
    wake: (worker) => peers[worker]?.postMessage(null),
    toMain,
    toResults: (message, transfer) => results.postMessage(message, transfer),
  });
  if (ticks !== undefined) ticks.onmessage = () => worker.onArrival();
  for (const peer of peers) if (peer !== undefined) peer.onmessage = () => worker.look();
  return worker;
}
