/** What happens to a load that a person changes while it goes on. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { PhasePlan, RampPlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { Pacer } from "../../../src/load/worker/pacer.ts";
import { LimitedGate } from "../../../src/load/worker/prefill_gate.ts";
import { limitCurve } from "../../../src/load/workload/limit_curve.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase, SOURCE } from "../../support/load_phases.ts";
import { ScriptedSender } from "../../support/scripted_sender.ts";

function benchOf(plan: PhasePlan, worker = 0, control = new ControlBlock()) {
  const time = new FakeTime();
  return { time, control, sender: new ScriptedSender({ plan, control, time, worker }) };
}

async function admitted(plan: PhasePlan) {
  const bench = benchOf(plan);
  bench.sender.loop.begin();
  await bench.time.pass(100);
  return bench;
}

Deno.test("a closed loop begins nothing in a pause, and has all its users again after it", async () => {
  const { control, sender } = await admitted(closedPhase(3));
  control.steering.setPaused(true);
  sender.endAll();
  sender.loop.onTick();
  assert.deepEqual([sender.sent.length, sender.timesDone], [3, 0]);
  control.steering.setPaused(false);
  sender.loop.onTick();
  assert.deepEqual(sender.underWay.length, 3);
});

Deno.test("a closed loop follows the number of users that is wanted, up and down", async () => {
  const { control, sender } = await admitted(closedPhase(3));
  control.steering.setUsers(0, 4);
  sender.loop.onTick();
  assert.equal(sender.underWay.length, 4);
  control.steering.setUsers(0, 1);
  sender.loop.onTick();
  assert.equal(sender.underWay.length, 4, "nobody is cut off");
  for (const index of sender.underWay.slice(0, 2)) sender.end(index);
  assert.equal(sender.underWay.length, 2, "who is too much sends no other request");
  sender.end(sender.underWay[0] as number);
  sender.end(sender.underWay[0] as number);
  assert.equal(sender.underWay.length, 1, "one goes on");
  assert.equal(sender.timesDone, 0);
});

Deno.test("a closed loop without users waits for its next ones, and ends when the others are done", async () => {
  const { control, sender } = await admitted(closedPhase(1, { requestCount: 3 }));
  control.steering.setUsers(0, 0);
  sender.endAll();
  assert.equal(sender.timesDone, 0, "somebody may want users again");
  control.claim(3, 1);
  control.claim(3, 1);
  sender.loop.onTick();
  assert.equal(sender.timesDone, 1, "nothing is left to send");
});

Deno.test("a closed loop that is paused ends when it is stopped, or its time is over", async () => {
  const stopped = await admitted(closedPhase(2));
  stopped.control.steering.setPaused(true);
  stopped.sender.endAll();
  stopped.control.stop();
  stopped.sender.loop.onStop();
  assert.equal(stopped.sender.timesDone, 1);
  const timed = await admitted(closedPhase(2, { durationNs: 1e9 }));
  timed.control.steering.setPaused(true);
  timed.sender.endAll();
  await timed.time.pass(1000);
  timed.sender.loop.onTick();
  assert.equal(timed.sender.timesDone, 1);
});

Deno.test("a closed loop that is paused while its users come in lets in the others afterwards", async () => {
  const { control, sender, time } = benchOf(closedPhase(8));
  sender.loop.begin();
  await time.pass(100);
  assert.equal(sender.sent.length, 4);
  control.steering.setPaused(true);
  for (const index of sender.unwritten) sender.write(index);
  sender.loop.onTick();
  assert.equal(sender.sent.length, 4);
  control.steering.setPaused(false);
  sender.loop.onTick();
  sender.loop.onTick();
  assert.equal(sender.underWay.length, 8);
});

Deno.test("an open loop holds back what waits for a slot while it is paused", () => {
  const { control, sender } = benchOf(openPhase({ concurrency: 1 }));
  control.setArrived(3);
  sender.loop.begin();
  assert.deepEqual(sender.underWay, [0]);
  control.steering.setPaused(true);
  sender.endAll();
  sender.loop.onTick();
  assert.deepEqual(sender.indexes, [0]);
  control.steering.setPaused(false);
  sender.loop.onTick();
  assert.deepEqual(sender.underWay, [1]);
});

const SLOWLY: RampPlan = { shape: "linear", durationNs: 10e9, steps: 1 };

function growing(concurrency: number): PhasePlan {
  const plan = closedPhase(concurrency);
  return { ...plan, load: { ...plan.load, concurrencyRamp: SLOWLY } };
}

function writeAll(sender: ScriptedSender): void {
  while (sender.unwritten.length > 0) for (const index of sender.unwritten) sender.write(index);
}

Deno.test("a number of users that a person sets takes the place of the ramp", async () => {
  const { control, sender, time } = await admitted(growing(11));
  assert.equal(sender.underWay.length, 1);
  control.steering.setUsers(0, 5);
  sender.loop.onTick();
  writeAll(sender);
  assert.equal(sender.underWay.length, 5, "at once");
  control.steering.setUsers(0, 2);
  sender.endAllBut(2);
  await time.pass(20_000);
  sender.loop.onTick();
  writeAll(sender);
  assert.equal(sender.underWay.length, 2, "the ramp brings in nobody any more");
});

Deno.test("a ramp goes on in a pause, after which all are there whom it has let in", async () => {
  const { control, sender, time } = await admitted(growing(11));
  control.steering.setPaused(true);
  sender.endAll();
  await time.pass(4000);
  sender.loop.onTick();
  assert.equal(sender.sent.length, 1, "none comes in the pause");
  control.steering.setPaused(false);
  sender.loop.onTick();
  writeAll(sender);
  assert.equal(sender.underWay.length, 5);
  await time.pass(1000);
  writeAll(sender);
  assert.equal(sender.underWay.length, 6);
});

Deno.test("users who wait for room are not let in during a pause, and hold no room", async () => {
  const time = new FakeTime();
  const control = new ControlBlock();
  const gate = new LimitedGate({
    ...{ worker: 0, shared: control.prefill, limit: limitCurve(1, undefined), startNs: 0 },
    ...{ clock: time, timers: time, wake: () => {} },
  });
  const plan = closedPhase(3);
  const sender = new ScriptedSender({ plan, control, time, gate });
  sender.loop.begin();
  await time.pass(100);
  assert.equal(sender.underWay.length, 1, "the others wait");
  control.steering.setPaused(true);
  gate.leave();
  sender.loop.onTick();
  assert.deepEqual([sender.sent.length, control.prefill.inside], [1, 0]);
  control.steering.setPaused(false);
  for (let users = 2; users <= 3; users++) {
    sender.loop.onTick();
    assert.deepEqual([sender.underWay.length, control.prefill.inside], [users, 1]);
    gate.leave();
  }
});

/** Shared memory in which nobody sleeps, and a person changes the load at certain times. */
class SteeredControl extends ControlBlock {
  readonly time = new FakeTime();
  readonly #changes: [atMs: number, change: (control: ControlBlock) => void][];

  constructor(changes: readonly [number, (control: ControlBlock) => void][]) {
    super();
    this.#changes = [...changes];
    this.steering.allow();
  }

  override sleep(milliseconds: number): void {
    const [next] = this.#changes;
    const leftMs = next === undefined ? Infinity : next[0] - this.time.nowNs() / 1e6;
    this.time.sleep(Math.min(milliseconds, Math.max(0, leftMs)));
    if (next === undefined || leftMs > milliseconds) return;
    this.#changes.shift();
    next[1](this);
  }
}

/** When requests arrived, and when a load worker thinks that each was due. */
function arrivalsMs(
  plan: PhasePlan,
  changes: readonly [number, (control: ControlBlock) => void][],
): [atMs: number, intendedMs: number][] {
  const control = new SteeredControl(changes);
  const { time } = control;
  const sender = new ScriptedSender({ plan, control, time });
  sender.loop.begin();
  const ticks = [{
    postMessage(): void {
      control.hear(0);
      sender.loop.onArrival();
    },
  }];
  new Pacer(control, SOURCE, ticks).pace({ plan, phase: 0, startNs: 0, clockOffsetMs: 0 }, time);
  return sender.sent.map(({ atNs, intendedNs }) => [atNs / 1e6, intendedNs / 1e6]);
}

Deno.test("arrivals come faster, slower, not at all and again as a person wants it", () => {
  const at = arrivalsMs(openPhase({}, { requestCount: 9 }), [
    [25, ({ steering }) => steering.setTempo(25e6, 2)],
    [45, ({ steering }) => steering.setTempo(45e6, 0)],
    [1045, ({ steering }) => steering.setTempo(1045e6, 0.5)],
  ]);
  const due = [10, 20, 27.5, 32.5, 37.5, 42.5, 1055, 1075, 1095];
  assert.deepEqual(at, due.map((ms) => [ms, ms]));
});

Deno.test("a person's tempo is that of a growing rate, too", () => {
  const load = { rateRamp: { shape: "linear", durationNs: 1e9, steps: 1 } } as const;
  const planned = arrivalsMs(openPhase(load, { requestCount: 60 }), []).map(([at]) => at);
  const faster = arrivalsMs(openPhase(load, { requestCount: 60 }), [
    [200, ({ steering }) => steering.setTempo(200e6, 2)],
  ]);
  assert.ok(Math.abs((planned[49] as number) - 1000) < 1, "half of the rate's requests by its end");
  faster.forEach(([at, intended], index) => {
    const plannedMs = planned[index] as number;
    const expected = plannedMs <= 200 ? plannedMs : 200 + (plannedMs - 200) / 2;
    assert.ok(Math.abs(at - expected) < 1e-3, `${at} for ${expected}`);
    assert.equal(at, intended);
  });
});

Deno.test("a cap grows by the clock while arrivals stand still", () => {
  const plan = openPhase({
    ...{ concurrency: 3, concurrencyRamp: { shape: "linear", durationNs: 200e6, steps: 1 } },
  }, { requestCount: 5 });
  const at = arrivalsMs(plan, [
    [35, ({ steering }) => steering.setTempo(35e6, 0)],
    [500, ({ steering }) => steering.setTempo(500e6, 1)],
  ]);
  // The others find all three places taken.
  assert.deepEqual(at, [[10, 10], [100, 20], [200, 30]]);
});

Deno.test("a raised rate brings arrivals into the phase that were planned for after it", () => {
  const plan = openPhase({}, { durationNs: 50e6 });
  const at = arrivalsMs(plan, [[15, ({ steering }) => steering.setTempo(15e6, 2)]]);
  assert.deepEqual(at.map(([ms]) => ms), [10, 17.5, 22.5, 27.5, 32.5, 37.5, 42.5, 47.5]);
});

Deno.test("every thread finds the same time for an arrival, and arrivals stay in their order", () => {
  const change = fc.tuple(
    fc.integer({ min: 1, max: 1000 }),
    fc.constantFrom(0, 0.1, 0.5, 1, 1.3, 7),
  );
  fc.assert(fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
    const control = new ControlBlock();
    const other = new ControlBlock(control.buffer).steering;
    let atNs = 0;
    for (const [stepMs, factor] of changes) control.steering.setTempo(atNs += stepMs * 1e6, factor);
    let last = 0;
    for (let planned = 0; planned < 20e9; planned += 97e6) {
      const due = control.steering.dueNs(planned);
      assert.equal(due, other.dueNs(planned));
      assert.ok(due >= last, `${due} after ${last}`);
      last = due;
    }
  }));
});

Deno.test("a phase begins without the changes of the one before", () => {
  const control = new ControlBlock();
  control.steering.setPaused(true);
  control.steering.setUsers(3, 9);
  control.steering.setTempo(0, 5);
  control.beginPhase();
  const { isPaused, isSteered, isSteerable } = control.steering;
  assert.deepEqual([isPaused, isSteered, isSteerable], [false, false, false]);
  assert.deepEqual([control.steering.users(3), control.steering.dueNs(7e6)], [undefined, 7e6]);
});
