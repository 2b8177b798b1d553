import assert from "node:assert/strict";
import { lateness } from "../../../scripts/bench/lateness.ts";

/** A clock whose sleeps take as much longer as is said, in their order. */
function sleeper(startMs: number, ...oversleepsMs: number[]) {
  let nowMs = startMs;
  const sleptMs: number[] = [];
  return {
    sleptMs,
    now: () => nowMs,
    sleep(milliseconds: number): void {
      sleptMs.push(milliseconds);
      nowMs += milliseconds + (oversleepsMs.shift() ?? 0);
    },
  };
}

Deno.test("lateness is by how much each sleep was too long", () => {
  const { now, sleep, sleptMs } = sleeper(100, 0.25, 0, 0.5);
  assert.deepEqual([...lateness([101, 102, 103], now, sleep)], [0.25, 0, 0.5]);
  assert.deepEqual(sleptMs, [1, 0.75, 1]);
});

Deno.test("lateness counts what fell due during a sleep, without another", () => {
  const { now, sleep, sleptMs } = sleeper(0, 5);
  assert.deepEqual([...lateness([1, 2, 4, 7], now, sleep)], [5, 4, 2, 0]);
  assert.deepEqual(sleptMs, [1, 1]);
});

Deno.test("lateness sleeps again after a sleep that was too short", () => {
  const { now, sleep, sleptMs } = sleeper(0, -0.5);
  assert.deepEqual([...lateness([2], now, sleep)], [0]);
  assert.deepEqual(sleptMs, [2, 0.5]);
});
