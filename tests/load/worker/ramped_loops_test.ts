/** Loops on several threads while their limit grows. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { RampPlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { Pacer } from "../../../src/load/worker/pacer.ts";
import { limitCurve } from "../../../src/load/workload/limit_curve.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase, SOURCE } from "../../support/load_phases.ts";
import { ScriptedSender } from "../../support/scripted_sender.ts";

const RAMP: fc.Arbitrary<RampPlan> = fc.record({
  shape: fc.constantFrom("linear", "exponential", "steps"),
  durationNs: fc.integer({ min: 100, max: 3000 }).map((ms) => ms * 1e6),
  steps: fc.integer({ min: 1, max: 9 }),
});

function underWay(senders: readonly ScriptedSender[]): number {
  return senders.reduce((sum, sender) => sum + sender.underWay.length, 0);
}

Deno.test("closed loops together have exactly the users that the ramp has let in, at every time", async () => {
  const property = fc.asyncProperty(
    RAMP,
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 5, maxLength: 20 }),
    async (ramp, users, workers, pausesMs) => {
      const time = new FakeTime();
      const control = new ControlBlock();
      const plan = closedPhase(users);
      const load = { ...plan.load, concurrencyRamp: ramp };
      const senders = Array.from({ length: workers }, (_, worker) =>
        new ScriptedSender({
          ...{ plan: { ...plan, load }, control, time, worker, workers },
          slots: Math.max(0, Math.ceil((users - worker) / workers)),
        }));
      for (const { loop } of senders) loop.begin();
      const limit = limitCurve(users, ramp);
      // Connections are let settle for some milliseconds at most.
      await time.pass(50);
      for (const [turn, pauseMs] of pausesMs.entries()) {
        for (const sender of senders) {
          for (const index of sender.unwritten) sender.write(index);
          const [index] = sender.underWay;
          if (turn % 2 === 0 && index !== undefined) sender.end(index);
          for (const index of sender.unwritten) sender.write(index);
          for (const index of sender.unwritten) sender.write(index);
        }
        for (let round = 0; round < users; round++) {
          for (const sender of senders) for (const index of sender.unwritten) sender.write(index);
        }
        assert.equal(underWay(senders), limit.at(time.nowNs()), `at ${time.nowNs() / 1e6} ms`);
        assert.equal(control.inFlight, underWay(senders));
        await time.pass(pauseMs);
        assert.ok(underWay(senders) <= limit.at(time.nowNs()), "never more than the limit");
      }
      control.stop();
      for (const { loop } of senders) loop.onStop();
      for (const sender of senders) sender.endAll();
      assert.deepEqual(senders.map(({ timesDone }) => timesDone), senders.map(() => 1));
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

Deno.test("a closed loop does not wait for its ramp when there is nothing left to send", async () => {
  const time = new FakeTime();
  const control = new ControlBlock();
  const ramp: RampPlan = { shape: "linear", durationNs: 100e9, steps: 1 };
  const plan = closedPhase(10, { requestCount: 3 });
  const sender = new ScriptedSender({
    plan: { ...plan, load: { ...plan.load, concurrencyRamp: ramp } },
    control,
    time,
  });
  sender.loop.begin();
  await time.pass(1);
  sender.endAll();
  assert.deepEqual([sender.indexes, sender.timesDone], [[0, 1, 2], 1]);
});

Deno.test("a closed loop does not wait for its ramp when another thread has sent the last request", async () => {
  const time = new FakeTime();
  const control = new ControlBlock();
  const ramp: RampPlan = { shape: "linear", durationNs: 100e9, steps: 1 };
  const plan = closedPhase(2);
  const sender = new ScriptedSender({
    plan: { ...plan, load: { ...plan.load, concurrencyRamp: ramp } },
    ...{ control, time, worker: 1, workers: 2, slots: 1 },
  });
  sender.loop.begin();
  await time.pass(1);
  assert.equal(sender.timesDone, 0);
  // Of sessions with several requests each, some are left.
  control.stop();
  sender.loop.onTick();
  assert.deepEqual([sender.indexes, sender.timesDone], [[], 1]);
});

/** Shared memory in which sleeping is time passing. */
class SleeplessControl extends ControlBlock {
  readonly time = new FakeTime();
  override sleep(milliseconds: number): void {
    this.time.sleep(milliseconds);
  }
}

Deno.test("Pacer has workers look when the cap grows while arrivals wait, also after the last one", () => {
  const control = new SleeplessControl();
  const looks: number[] = [];
  const sender: { current: ScriptedSender | undefined } = { current: undefined };
  const ramp: RampPlan = { shape: "linear", durationNs: 400e6, steps: 1 };
  const plan = openPhase({ concurrency: 5, concurrencyRamp: ramp }, { requestCount: 5 });
  sender.current = new ScriptedSender({ plan, control, time: control.time });
  const ticks = [{
    postMessage(): void {
      control.hear(0);
      looks.push(control.time.nowNs() / 1e6);
      sender.current?.loop.onArrival();
    },
  }];
  new Pacer(control, SOURCE, ticks).pace(
    { plan, phase: 0, startNs: 0, clockOffsetMs: 0 },
    control.time,
  );
  const sent = sender.current.sent.map(({ intendedNs, claimedNs, atNs }) =>
    [intendedNs, claimedNs, atNs].map((ns) => ns / 1e6)
  );
  // Arrivals every 10 ms, one more in flight every 100 ms: each waits, and it is told.
  assert.deepEqual(sent, [
    [10, 10, 10],
    [20, 100, 100],
    [30, 200, 200],
    [40, 300, 300],
    [50, 400, 400],
  ]);
  assert.deepEqual(looks.slice(-4), [100, 200, 300, 400]);
});
