/** Time passes when the test says so, and so do the other shards come. */

import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import type { StartPlan } from "../../../src/config/plan/start_plan.ts";
import type { Agreement } from "../../../src/load/rendezvous/messages.ts";
import { isFailure, type RunEnd } from "../../../src/core/run_end/end_reason.ts";
import { type Barrier, PhaseStarts } from "../../../src/run/runner/phase_starts.ts";
import type { MainClock } from "../../../src/core/thread/run_clock.ts";
import { FakeTime, microtasks } from "../../support/fake_time.ts";

/** The run's clock begins at this time of the wall clock. */
const BASE_MS = 1_700_000_000_000;

function startsOf(start: StartPlan, barrier?: Partial<Barrier>) {
  const time = new FakeTime();
  const said: string[] = [];
  const interrupt = new AbortController();
  const clock = {
    baseEpochNs: BigInt(BASE_MS) * 1_000_000n,
    nowNs: () => time.nowNs(),
  } as MainClock;
  const starts = new PhaseStarts(
    { start } as RunPlan,
    clock,
    interrupt.signal,
    { tell: (text) => said.push(text), warn: (text) => said.push(`warning: ${text}`) },
    barrier as Barrier | undefined,
    time,
  );
  return { starts, time, said, interrupt };
}

function byTime(seconds: number, maxLateNs = 1e9): StartPlan {
  return { by: "time", epochMs: BASE_MS + seconds * 1000, maxLateNs };
}

const BY_BARRIER: StartPlan = {
  by: "barrier",
  directory: "/shared/start",
  timeoutNs: 60e9,
  maxLateNs: 1e9,
};

Deno.test("PhaseStarts waits until a second before the time, for the first phase only", async () => {
  const { starts, time } = startsOf(byTime(10));
  let startNs: number | undefined;
  const waiting = starts.next().then((at) => startNs = at);
  await time.pass(8999);
  assert.equal(startNs, undefined);
  await time.pass(1);
  await waiting;
  assert.equal(startNs, 10e9);
  assert.equal(await starts.next(), undefined);
  assert.equal(time.pending, 0);
});

Deno.test("PhaseStarts waits for a time that no timer reaches at once, and ends when it is told to", async () => {
  const days = 60;
  const { starts, time, interrupt } = startsOf(byTime(days * 86_400));
  const waiting = starts.next();
  await time.pass(40 * 86_400e3);
  assert.ok(time.msToNext < 2 ** 31);
  interrupt.abort(new Error("interrupted"));
  await assert.rejects(waiting, /interrupted/);
  assert.equal(time.pending, 0);
});

Deno.test("PhaseStarts says once that the others keep it waiting, and not when they have come", async () => {
  const agreement: Agreement = {
    atMs: BASE_MS + 30_000,
    clock: undefined,
    warning: "1 is missing",
  };
  let agree: (agreement: Agreement) => void = () => {};
  const { starts, time, said } = startsOf(BY_BARRIER, {
    meet: () => new Promise((resolve) => agree = resolve),
  });
  const first = starts.next();
  await time.pass(9999);
  assert.deepEqual(said, []);
  await time.pass(20_000);
  assert.deepEqual(said, ["Still waiting for the other shards after 10 s"]);
  agree(agreement);
  assert.equal(await first, 30e9);
  const second = starts.next();
  await microtasks();
  agree({ ...agreement, warning: undefined });
  await second;
  await time.pass(60_000);
  assert.deepEqual(said.slice(1), ["warning: 1 is missing"]);
});

Deno.test("PhaseStarts tells of a late start, and ends a run that begins too late", async () => {
  const { starts, time, said } = startsOf(byTime(0, 200e6));
  const ends: RunEnd[] = [];
  starts.watch(1e9, (end) => ends.push(end));
  starts.watch(1e9, (end) => ends.push(end))();
  await time.pass(1000);
  assert.deepEqual([ends, said], [[], []]);
  time.sleep(51);
  assert.equal(starts.tooLate(1e9), undefined);
  assert.deepEqual(said, ["warning: The load began 51 ms later than agreed"]);
  assert.deepEqual(starts.agreed, { intendedNs: 1e9, latenessNs: 51e6 });
  starts.watch(2e9, (end) => ends.push(end));
  time.sleep(1150);
  await time.pass(0);
  assert.deepEqual(ends, [{
    reason: "too_late",
    text: "it began too late, 201 ms later than agreed: more than --max-late 0.2 s allows",
  }]);
  assert.ok(isFailure(ends[0]?.reason));
  // What is past is not waited for.
  starts.watch(1e9, () => assert.fail("called"));
  await time.pass(5000);
});
