/** Thread that probes the network path to the inference servers. It may connect only to them. */

import { ClockCells } from "../../core/thread/clock_cells.ts";
import { answerHandshake, workerClock } from "../../core/thread/run_clock.ts";
import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import type { FromNetworkThread, ToNetworkThread } from "./messages.ts";
import { NetworkProbe } from "./network_probe.ts";

const scope = workerScope();
const toMain = (message: FromNetworkThread): void => scope.postMessage(message);
let clock = workerClock(0);
let probe: NetworkProbe | undefined;

scope.onmessage = async ({ data: message }: MessageEvent<ToNetworkThread>) => {
  switch (message.type) {
    case "init":
      probe = new NetworkProbe({
        ...message,
        nowNs: () => clock.nowNs(),
        connect: async ({ address, port }) => {
          (await Deno.connect({ hostname: address, port })).close();
        },
        after: (delayMs, call) => SYSTEM_TIMERS.once(delayMs, call),
      });
      answerHandshake(new ClockCells(message.clock));
      break;
    case "start":
      clock = workerClock(message.clockOffsetMs);
      probe?.start();
      break;
    case "stop":
      toMain({
        type: "stopped",
        samples: await probe?.stop(message.topUp, message.sinceNs) ?? [],
      });
      break;
  }
};
toMain({ type: "ready" });
