import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { lostTime } from "../../../src/measurement/own_error/lost_time.ts";

/** Canaries read at 0 and 1,000 on two workers, and some stalls. */
function logWith(...stalls: readonly (readonly [worker: number, from: number, to: number])[]) {
  const log = new CanaryLog();
  for (const worker of [0, 1]) {
    for (const at of [0, 1000]) log.add(worker, Float64Array.of(CANARY_KIND.poisson, at, at, at));
  }
  for (const [worker, from, to] of stalls) {
    log.add(worker, Float64Array.of(CANARY_KIND.stall, from, NaN, to));
  }
  return log;
}

Deno.test("lostTime is the share of the time of all threads in which they stood still", () => {
  assert.equal(lostTime(logWith([0, 100, 300], [0, 500, 600], [1, 0, 100])).share, 0.2);
  assert.equal(lostTime(logWith()).share, 0);
  assert.equal(lostTime(new CanaryLog()).share, 0);
});

Deno.test("lostTime tells what one thread lost within a stretch", () => {
  const lost = lostTime(logWith([0, 100, 300], [0, 500, 600], [1, 0, 1000]));
  assert.equal(lost.within(0, 0, 1000), 300);
  assert.equal(lost.within(0, 200, 550), 150);
  assert.equal(lost.within(0, 300, 500), 0);
  assert.equal(lost.within(1, 200, 550), 350);
  assert.equal(lost.within(2, 0, 1000), 0);
});
