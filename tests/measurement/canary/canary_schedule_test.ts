import assert from "node:assert/strict";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanarySchedule } from "../../../src/measurement/canary/canary_schedule.ts";

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

Deno.test("CanarySchedule has many random instants for a worker for which something comes first", () => {
  const random = randomStream(11, "canary");
  const schedule = new CanarySchedule(2, 0, random);
  const early = [...schedule.take(5 * SECOND)].length;
  assert.ok(Math.abs(early - 150) < 4 * Math.sqrt(150), `${early} as usual`);
  const counts = { first: 0, then: 0, later: 0, other: 0 };
  const begins = 20;
  for (let begin = 1; begin <= begins; begin++) {
    const beginNs = 20 * SECOND * begin;
    for (const _ of schedule.take(beginNs));
    schedule.add({ worker: 1, kind: CANARY_KIND.poisson, dueNs: beginNs }, beginNs);
    for (const { dueNs, worker } of schedule.take(beginNs + 14 * SECOND)) {
      const since = (dueNs - beginNs) / SECOND;
      if (worker === 0) counts.other++;
      else if (since < 0.1) counts.first++;
      else if (since < 1) counts.then++;
      else if (since > 4) counts.later++;
    }
  }
  // 500 a second; 50 / t a second; 15 a second.
  for (
    const [counted, expected] of [
      [counts.first, 50 * begins],
      [counts.then, 50 * Math.log(10) * begins],
      [counts.later, 150 * begins],
      [counts.other, 14 * 15 * begins],
    ] as const
  ) {
    assert.ok(Math.abs(counted - expected) < 4 * Math.sqrt(expected), `${counted}, ${expected}`);
  }
});

Deno.test("CanarySchedule has random instants for the time before it was told of something new", () => {
  const schedule = new CanarySchedule(1, 0, randomStream(13, "canary"));
  const told = 2 * SECOND;
  for (const _ of schedule.take(told));
  schedule.add({ worker: 0, kind: CANARY_KIND.poisson, dueNs: SECOND }, told);
  // 500 a second for a tenth of one, then 50 / t a second.
  const due = [...schedule.take(told)].map(({ dueNs }) => dueNs);
  const expected = 50 + 50 * Math.log(10);
  assert.ok(
    Math.abs(due.length - expected) < 4 * Math.sqrt(expected),
    `${due.length}, ${expected}`,
  );
  assert.ok(due.every((dueNs) => dueNs > SECOND && dueNs <= told));
});

Deno.test("CanarySchedule has random instants between things that it was told of at once", () => {
  const schedule = new CanarySchedule(2, 0, randomStream(19, "canary"));
  const told = 0.2 * SECOND;
  for (const dueNs of [0, 0.1 * SECOND, 0.19 * SECOND]) {
    schedule.add({ worker: 1, kind: CANARY_KIND.poisson, dueNs }, told);
  }
  assert.ok(schedule.nextNs < 0.1 * SECOND);
  const due = [...schedule.take(told)].filter(({ worker }) => worker === 1);
  const before = due.filter(({ dueNs }) => dueNs < 0.19 * SECOND).length;
  const expected = 50 + 45;
  assert.ok(Math.abs(before - expected) < 4 * Math.sqrt(expected), `${before}, ${expected}`);
  assert.ok(schedule.nextNs > told);
});

Deno.test("CanarySchedule has random instants from its beginning on, whatever was new before that", () => {
  const begin = 10 * SECOND;
  const schedule = new CanarySchedule(1, begin, randomStream(17, "canary"));
  schedule.add({ worker: 0, kind: CANARY_KIND.poisson, dueNs: begin - 1 }, begin + SECOND);
  const due = [...schedule.take(begin + 100 * SECOND)].map(({ dueNs }) => dueNs);
  assert.ok((due[0] as number) > begin);
  assert.ok(Math.abs(due.length - 1500) < 4 * Math.sqrt(1500), `${due.length}`);
});

Deno.test("CanarySchedule has random instants for every worker, those missed in a stall too", () => {
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
