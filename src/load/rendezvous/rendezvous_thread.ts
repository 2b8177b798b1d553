/**
 * The thread by which shards agree on a start. It may reach one address, or listen there, or use
 * one folder; nothing else.
 */

import { ClockCells } from "../../core/thread/clock_cells.ts";
import { answerHandshake, workerClock } from "../../core/thread/run_clock.ts";
import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { FolderBarrier } from "./folder_barrier.ts";
import type {
  BarrierOrders,
  CommonStart,
  FromRendezvousThread,
  ToRendezvousThread,
} from "./messages.ts";
import { RendezvousFollower } from "./rendezvous_follower.ts";
import { listenAddress } from "../../config/shard/listen_address.ts";
import { RendezvousLeader } from "./rendezvous_leader.ts";

const scope = workerScope();
const toMain = (message: FromRendezvousThread): void => scope.postMessage(message);
let orders: BarrierOrders | undefined;
let start: CommonStart | undefined;

scope.onmessage = async ({ data: message }: MessageEvent<ToRendezvousThread>) => {
  switch (message.type) {
    case "init":
      orders = message.orders;
      answerHandshake(new ClockCells(message.clock));
      break;
    case "clock": {
      const clock = workerClock(message.clockOffsetMs);
      const { baseEpochMs } = message;
      let failure: string | undefined;
      try {
        start = await begin(orders as BarrierOrders, () => baseEpochMs + clock.nowNs() / 1e6);
      } catch (error) {
        failure = (error as Error).message;
      }
      toMain({ type: "began", failure });
      break;
    }
    case "meet":
      try {
        const agreement = await start?.meet(message.stage);
        toMain({ type: "agreed", agreement, failure: "" });
      } catch (error) {
        toMain({ type: "agreed", agreement: undefined, failure: (error as Error).message });
      }
      break;
    case "over":
      toMain({ type: "allOver", warning: await start?.over() });
      break;
    case "collect":
      toMain({ type: "collected", warning: await start?.collect(message.folder) });
      break;
    case "close":
      await start?.close();
      toMain({ type: "closed" });
      break;
  }
};
toMain({ type: "ready" });

async function begin(orders: BarrierOrders, nowMs: () => number): Promise<CommonStart> {
  const onWarning = (text: string): void => toMain({ type: "warning", text });
  const context = { nowMs, timers: SYSTEM_TIMERS, onWarning };
  if (orders.by === "barrier") {
    const barrier = new FolderBarrier(orders, context);
    await barrier.begin();
    return barrier;
  }
  const { hostname, port, self } = orders;
  if (self.shard.index === 0) {
    const address = { hostname: listenAddress(hostname), port };
    return new RendezvousLeader(Deno.listen(address), orders, context);
  }
  return new RendezvousFollower({ ...orders, place: `${bracketed(hostname)}:${port}` }, {
    ...context,
    connect: async () => {
      const connection = await Deno.connect({ hostname, port });
      connection.setNoDelay();
      connection.setKeepAlive();
      return connection;
    },
  });
}

function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
