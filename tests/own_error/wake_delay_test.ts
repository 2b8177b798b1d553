import assert from "node:assert/strict";
import { CANARY_KIND, type CanaryKind } from "../../src/canary/canary_kind.ts";
import { CanaryLog } from "../../src/canary/canary_log.ts";
import { untoldWakeMs, usualWakeNs, wakeDelay } from "../../src/own_error/wake_delay.ts";

const MS = 1e6;

/** Canaries that were written so long after they were due, in milliseconds. */
function logOf(latenessMs: readonly number[], kind: CanaryKind = "poisson"): CanaryLog {
  const canaries = new CanaryLog();
  latenessMs.forEach((lateMs, at) => {
    const row = [at * 10, at * 10 + lateMs, at * 10 + lateMs + 0.1].map((ms) => ms * MS);
    canaries.add(0, Float64Array.of(CANARY_KIND[kind], ...row));
  });
  return canaries;
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1, `${actual} instead of ${expected}`);
}

Deno.test("wakeDelay is what wakings take beyond the usual", () => {
  const { meanNs, deviationNs, count } = wakeDelay(logOf([0.1, 0.1, 0.1, 2.1, 0.1]));
  assert.equal(count, 5);
  assertNear(meanNs, 0.4 * MS);
  // Four of 0 and one of 2 ms.
  assertNear(deviationNs, Math.sqrt((4 * 0.4 ** 2 + 1.6 ** 2) / 4) * MS);
});

Deno.test("wakeDelay is of canaries at random instants, without standstills", () => {
  const late = [0.1, 0.1, 2.1];
  assert.equal(wakeDelay(logOf(late, "first")).count, 0);
  const [with200, without] = [wakeDelay(logOf([...late, 200])), wakeDelay(logOf(late))];
  assert.deepEqual(with200, without);
});

Deno.test("usualWakeNs has room for what few wakings can have had, up to a millisecond", () => {
  const wake = { meanNs: 0.1 * MS, deviationNs: 0.2 * MS, count: 25 };
  assertNear(usualWakeNs(wake, 25), (0.1 + 0.4 * Math.sqrt(2 / 25)) * MS);
  assertNear(usualWakeNs(wake, 1e12), (0.1 + 0.4 / 5) * MS);
  assertNear(usualWakeNs({ ...wake, deviationNs: 3 * MS }, 4), MS);
  assert.equal(usualWakeNs(wakeDelay(logOf([])), 10), 0);
});

Deno.test("untoldWakeMs is of threads that sleep while other programs use the cores", () => {
  const wake = { meanNs: 0.2 * MS, deviationNs: 0, count: 40 };
  assertNear(untoldWakeMs(wake, 0.1, 100) * MS, 0.2 * MS);
  assert.equal(untoldWakeMs(wake, 0.2, 100), 0, "busy ones make canaries wait as well");
  assert.equal(untoldWakeMs({ ...wake, meanNs: 0.1 * MS }, 0.1, 100), 0, "none is late here");
});
