import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import type { LoadChange } from "../../../src/report/model/load_change.ts";
import { LoadSteering } from "../../../src/run/runner/load_steering.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";

const RAMP = { shape: "linear", durationNs: 10e9, steps: 1 } as const;

function benchOf(plan: PhasePlan) {
  const time = new FakeTime();
  const control = new ControlBlock();
  const changes: LoadChange[] = [];
  const steering = new LoadSteering(control, time, 2, (change) => changes.push(change));
  steering.begin(plan, 0);
  const told = () => changes.map(({ action, value }) => [action, value]);
  return { time, control, steering, told, load: () => steering.load(plan) };
}

Deno.test("LoadSteering goes on from the users that a ramp has let in so far", async () => {
  const { load: limits } = closedPhase(101);
  const plan = closedPhase(101, { load: { ...limits, concurrencyRamp: RAMP } });
  const { time, control, steering, told, load } = benchOf(plan);
  assert.equal(load().concurrency, 1);
  steering.step(-1);
  assert.deepEqual([told(), control.steering.users(0)], [[], undefined], "one has to stay");
  await time.pass(2000);
  assert.equal(load().concurrency, 21);
  steering.step(1);
  assert.deepEqual([control.steering.users(0), control.steering.users(1)], [12, 11]);
  await time.pass(9000);
  assert.equal(load().concurrency, 23, "the ramp has no say any more");
  assert.deepEqual(told(), [["concurrency", 23]]);
});

Deno.test("LoadSteering names a rate where the plan has one, else how much faster it goes on", async () => {
  const steady = benchOf(openPhase({ ratePerSecond: 20 }));
  steady.steering.step(1);
  assert.deepEqual([steady.told(), steady.load().ratePerSecond], [[["rate", 22]], 22]);
  const ramped = benchOf(openPhase({ ratePerSecond: 20, rateRamp: RAMP }));
  await ramped.time.pass(5000);
  assert.equal(ramped.load().ratePerSecond, 10);
  ramped.steering.step(1);
  assert.deepEqual(ramped.told(), [["tempo", 1.1]]);
  await ramped.time.pass(1000);
  assert.ok(Math.abs(ramped.load().ratePerSecond - 1.1 * 2 * 6.0998) < 0.01);
  const schedule = benchOf(openPhase({ ratePerSecond: 0, isSchedule: true }));
  schedule.steering.step(-1);
  assert.deepEqual([schedule.told(), schedule.load().ratePerSecond], [[["tempo", 0.9]], NaN]);
});

Deno.test("LoadSteering goes on after every pause that it begins, however many there were", () => {
  const { steering, control, told } = benchOf(openPhase({ ratePerSecond: 20 }));
  for (let times = 0; times < 3000; times++) steering.togglePause();
  assert.ok(told().length > 1000);
  assert.deepEqual([told().at(-1)?.[0], control.steering.isPaused], ["resume", false]);
});
