/**
 * A thread that sleeps until it has to wake the server: see `alarm_clock.ts`.
 */

import { workerScope } from "../core/thread/worker_scope.ts";
import { AlarmCells } from "./alarm_cells.ts";

const scope = workerScope();
scope.onmessage = (event: MessageEvent<SharedArrayBuffer>) => {
  const cells = new AlarmCells(event.data);
  while (cells.sleepUntilDue()) scope.postMessage(null);
};
