import assert from "node:assert/strict";
import { MainClock, workerClock } from "../../src/thread/run_clock.ts";

Deno.test("a handshake trusts the quickest exchange, and takes the worker to have read in its middle", () => {
  // The worker was born 700 ms after main.
  let mainMs = 5000;
  const clock = new MainClock(() => mainMs);
  const exchanges = [[4, 1], [0.5, 0.5], [0.02, 0.04], [3, 0.1], [0.2, 6]] as const;
  let round = 0;
  const offsetMs = clock.handshake({
    readWorkerClock() {
      const [thereMs, backMs] = exchanges[round++ % exchanges.length] as typeof exchanges[number];
      mainMs += thereMs;
      const reading = mainMs - 700;
      mainMs += backMs;
      return reading;
    },
  });
  // Of the quickest, 0.06 ms, the reading was 0.01 ms before the middle.
  assert.ok(Math.abs(offsetMs - (700 - 5000 + 0.01)) < 1e-9, `${offsetMs}`);
});

Deno.test("the clock of a worker counts from the run's start", () => {
  const offsetMs = 250 - performance.now();
  const ns = workerClock(offsetMs).nowNs();
  assert.ok(ns >= 250e6 && ns < 1250e6 && Number.isInteger(ns), `${ns}`);
});
