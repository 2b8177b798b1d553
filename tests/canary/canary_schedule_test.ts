import assert from "node:assert/strict";
import { CANARY_KIND } from "../../src/canary/canary_kind.ts";
import { CanarySchedule } from "../../src/canary/canary_schedule.ts";
import { randomStream } from "../../src/statistics/random_stream.ts";

const SECOND = 1e9;
const NEVER = () => 1 - 1e-300;

Deno.test("CanarySchedule gives wishes in the order of their times, however they came", () => {
  const schedule = new CanarySchedule(1, 0, NEVER);
  const kind = CANARY_KIND.first;
  for (const dueNs of [30, 10, 20, 10]) schedule.add({ worker: 0, kind, dueNs }, 0);
  assert.equal(schedule.nextNs, 10);
  assert.deepEqual([...schedule.take(20)].map(({ dueNs }) => dueNs), [10, 10, 20]);
  assert.deepEqual([...schedule.take(20)], []);
  assert.equal(schedule.nextNs, 30);
});

Deno.test("CanarySchedule keeps no wish for a time that is too far ahead, or unknown", () => {
  const schedule = new CanarySchedule(1, 0, NEVER);
  const kind = CANARY_KIND.last;
  for (const dueNs of [3600 * SECOND, NaN, Infinity]) schedule.add({ worker: 0, kind, dueNs }, 0);
  assert.deepEqual([...schedule.take(10_000 * SECOND)].filter((due) => due.kind === kind), []);
});

Deno.test("CanarySchedule has random instants for every worker, those missed in a standstill too", () => {
  const random = randomStream(7, "canary");
  const schedule = new CanarySchedule(3, 0, random);
  const due = [...schedule.take(100 * SECOND)];
  for (const worker of [0, 1, 2]) {
    const times = due.filter((canary) => canary.worker === worker).map(({ dueNs }) => dueNs);
    // 15 a second: 1,500 give or take four standard deviations.
    assert.ok(Math.abs(times.length - 1500) < 4 * Math.sqrt(1500), `${times.length}`);
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
  }
  assert.ok(schedule.nextNs > 100 * SECOND);
});
