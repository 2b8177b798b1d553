import assert from "node:assert/strict";
import { ClockCells } from "../../../src/core/thread/clock_cells.ts";
import { MainClock } from "../../../src/core/thread/run_clock.ts";
import { CanaryCells } from "../../../src/measurement/canary/canary_cells.ts";
import type { FromCanaryThread, ToCanaryThread } from "../../../src/measurement/canary/messages.ts";
import { freePort } from "../../../src/run/runner/free_port.ts";

const RUNS = 5;

Deno.test("the canary thread listens again at the port that it has just given back", async () => {
  const url = new URL("../../../src/measurement/canary/canary_thread.ts", import.meta.url);
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
    if (message.type !== "ready") return;
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

Deno.test("the canary thread answers that it rests once the phase has ended", async () => {
  const url = new URL("../../../src/measurement/canary/canary_thread.ts", import.meta.url);
  const thread = new Worker(url, { type: "module" });
  const order = (message: ToCanaryThread) => thread.postMessage(message);
  const said: string[] = [];
  const cells = new CanaryCells(1);
  const clock = new ClockCells();
  let isEnded = false;
  await new Promise<void>((resolve, reject) => {
    thread.onerror = (event) => reject(new Error(event.message));
    thread.onmessage = ({ data: { type } }: MessageEvent<FromCanaryThread>) => {
      said.push(`${type}${isEnded ? " after the end" : ""}`);
      if (type === "resting") return resolve();
      if (type === "listening") {
        order({ type: "begin", phase: 1, startNs: 0, clockOffsetMs: 0 });
        order({ type: "begin", phase: 2, startNs: 0, clockOffsetMs: 0 });
        order({ type: "rest" });
        cells.end(1);
        setTimeout(() => {
          isEnded = true;
          cells.end(2);
        }, 300);
        return;
      }
      order({
        type: "init",
        port: freePort() as number,
        isTls: false,
        token: "/token",
        workers: 1,
        isAsked: false,
        cells: cells.buffer,
        clock: clock.buffer,
      });
      new MainClock().handshake(clock);
    };
  });
  thread.terminate();
  assert.deepEqual(said, ["ready", "listening", "resting after the end"]);
});
