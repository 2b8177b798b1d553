/**
 * The thread that writes canaries. It may listen on one port of 127.0.0.1, which the load workers
 * may connect to, and nothing else.
 */

import { ClockCells } from "../../core/thread/clock_cells.ts";
import { answerHandshake, workerClock } from "../../core/thread/run_clock.ts";
import { pause, SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { CanaryCells } from "./canary_cells.ts";
import { CANARY_CERTIFICATE } from "./canary_certificate.ts";
import { CanaryServer } from "./canary_server.ts";
import { CanaryWriter } from "./canary_writer.ts";
import type { FromCanaryThread, ToCanaryThread } from "./messages.ts";

/** The thread of a run before may just be giving the port back. */
const LISTEN_ATTEMPTS = 20;
const LISTEN_PAUSE_MS = 10;

const scope = workerScope();
const toMain = (message: FromCanaryThread): void => scope.postMessage(message);
let writer: CanaryWriter | undefined;
let close = (): void => {};
/**
 * Settles when this thread's last listener has released its port, which takes an event-loop
 * iteration.
 */
let released: Promise<void> = Promise.resolve();

/** Settles when all orders so far are carried out sequentially. */
let done: Promise<void> = Promise.resolve();

scope.onmessage = ({ data: message }: MessageEvent<ToCanaryThread>) => {
  done = done.then(() => follow(message));
};
// The runtime takes three milliseconds to read its own timers when it is first asked for one: not when
// the load begins. Who gives orders does not wait for it.
await turn();
toMain({ type: "ready" });

async function follow(message: ToCanaryThread): Promise<void> {
  switch (message.type) {
    case "init":
      writer = await start(message);
      answerHandshake(new ClockCells(message.clock));
      break;
    case "begin":
      await writer?.run(message.phase, workerClock(message.clockOffsetMs), message.startNs);
      break;
    case "rest":
      close();
      toMain({ type: "resting" });
      break;
  }
}

async function start(orders: Extract<ToCanaryThread, { type: "init" }>): Promise<CanaryWriter> {
  const { cells, isAsked, isTls, port, token, workers } = orders;
  const server = new CanaryServer(workers, token, isAsked);
  let failure: string | undefined;
  try {
    await released;
    const listener = await listen(port, isTls);
    released = server.accept(listener);
    close = () => {
      close = () => {};
      listener.close();
      server.close();
    };
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  toMain({ type: "listening", failure });
  void server.ready.then(() => toMain({ type: "connected" }));
  return new CanaryWriter({
    server,
    cells: new CanaryCells(cells),
    workers,
    random: Math.random,
    turn,
  });
}

/**
 * Waits for an event-loop iteration. A message to the same thread would not do: while one is
 * pending, no socket is read.
 */
function turn(): Promise<void> {
  return pause(SYSTEM_TIMERS, 0);
}

async function listen(port: number, isTls: boolean): Promise<Deno.Listener> {
  const address = { hostname: "127.0.0.1", port };
  for (let attempt = 1;; attempt++) {
    try {
      return isTls ? Deno.listenTls({ ...address, ...CANARY_CERTIFICATE }) : Deno.listen(address);
    } catch (error) {
      if (attempt === LISTEN_ATTEMPTS || !(error instanceof Deno.errors.AddrInUse)) throw error;
      await pause(SYSTEM_TIMERS, LISTEN_PAUSE_MS);
    }
  }
}
