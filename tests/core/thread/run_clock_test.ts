import assert from "node:assert/strict";
import { answerHandshake, MainClock, workerClock } from "../../../src/core/thread/run_clock.ts";

/**
 * A handshake with a worker that was born 700 ms after main, by exchanges that take up to 10 ms, the
 * quickest of them 0.06.
 * @param originErrorMs by so much its birth is told too late
 */
function handshake(originErrorMs: number): number {
  let mainMs = 5000;
  const clock = new MainClock(() => mainMs);
  const exchanges = [[4, 1], [0.5, 0.5], [0.02, 0.04], [3, 0.1], [0.2, 6]] as const;
  let round = 0;
  return clock.handshake({
    workerOriginMs: performance.timeOrigin + 700 + originErrorMs,
    readWorkerClock() {
      const [thereMs, backMs] = exchanges[round++ % exchanges.length] as typeof exchanges[number];
      mainMs += thereMs;
      const reading = mainMs - 700;
      mainMs += backMs;
      return reading;
    },
  });
}

/** What the times of birth can be told to, in milliseconds. */
const EPOCH_MS = 0.001;

Deno.test("a handshake trusts the times of birth as far as the quickest exchange permits", () => {
  // Its reading came 0.02 ms after it was asked for, and 0.04 before it was there.
  for (const errorMs of [0, -0.015, 0.035]) {
    const offsetMs = handshake(errorMs);
    assert.ok(Math.abs(offsetMs - (700 - 5000 + errorMs)) < EPOCH_MS, `${errorMs}: ${offsetMs}`);
  }
});

Deno.test("otherwise it takes the worker to have read in the middle of the quickest exchange", () => {
  for (const errorMs of [-0.025, 0.045, 3600e3, -3600e3, NaN]) {
    const offsetMs = handshake(errorMs);
    assert.ok(Math.abs(offsetMs - (700 - 5000 + 0.01)) < 1e-9, `${errorMs}: ${offsetMs}`);
  }
});

Deno.test("a worker tells its clock and its birth", () => {
  let answers = 0;
  answerHandshake({
    answerClockReads(now, originMs, rounds) {
      assert.ok(Math.abs(performance.now() - now()) < 1000);
      assert.equal(originMs, performance.timeOrigin);
      answers += rounds;
    },
  });
  assert.equal(answers, 10);
});

Deno.test("the clock of a worker counts from the run's start", () => {
  const offsetMs = 250 - performance.now();
  const ns = workerClock(offsetMs).nowNs();
  assert.ok(ns >= 250e6 && ns < 1250e6 && Number.isInteger(ns), `${ns}`);
});
