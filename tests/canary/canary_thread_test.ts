import assert from "node:assert/strict";
import { CanaryCells } from "../../src/canary/canary_cells.ts";
import type { FromCanaryThread, ToCanaryThread } from "../../src/canary/messages.ts";
import { freePort } from "../../src/run/free_port.ts";
import { ClockCells } from "../../src/thread/clock_cells.ts";
import { MainClock } from "../../src/thread/run_clock.ts";

const RUNS = 5;

Deno.test("the canary thread listens again at the port that it has just given back", async () => {
  const url = new URL("../../src/canary/canary_thread.ts", import.meta.url);
  const thread = new Worker(url, { type: "module" });
  const failures: (string | undefined)[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const clock = new MainClock();
  const port = freePort() as number;
  const order = (message: ToCanaryThread) => thread.postMessage(message);
  const init = (cells: ClockCells) =>
    order({
      type: "init",
      port,
      isTls: false,
      token: "/token",
      workers: 1,
      isAsked: false,
      cells: new CanaryCells(1).buffer,
      clock: cells.buffer,
    });
  thread.onerror = (event) => reject(new Error(event.message));
  thread.onmessage = ({ data: message }: MessageEvent<FromCanaryThread>) => {
    if (message.type === "listening") {
      failures.push(message.failure);
      if (failures.length === RUNS) resolve();
      return;
    }
    let cells = new ClockCells();
    init(cells);
    for (let run = 1; run <= RUNS; run++) {
      const next = new ClockCells();
      if (run < RUNS) {
        // The thread is in a handshake and finds both at its end, before it looks at any socket.
        order({ type: "rest" });
        init(next);
      }
      clock.handshake(cells);
      cells = next;
    }
  };
  await promise;
  thread.terminate();
  assert.deepEqual(failures, new Array(RUNS).fill(undefined));
});
