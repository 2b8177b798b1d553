import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { Pacer } from "../../../src/load/worker/pacer.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase, SOURCE } from "../../support/load_phases.ts";

/** Shared memory in which nobody sleeps: time passes, and what is due happens. */
class SleeplessControl extends ControlBlock {
  readonly time = new FakeTime();
  /** A sleep ends so much too early, as a thread's may. */
  earlyMs = 0;
  stopAtNs = Infinity;

  override sleep(milliseconds: number): void {
    const isLong = milliseconds > 2 * this.earlyMs;
    const sleptMs = isLong ? milliseconds - this.earlyMs : milliseconds;
    this.time.sleep(Math.min(sleptMs, (this.stopAtNs - this.time.nowNs()) / 1e6));
    if (this.time.nowNs() >= this.stopAtNs) this.stop();
  }
}

/** What two threads heard: when, and how much had arrived. */
interface Heard {
  readonly thread: number;
  readonly atMs: number;
  readonly arrived: number;
  readonly isEnd: boolean;
}

function paced(
  plan: PhasePlan,
  control = new SleeplessControl(),
  threads = 2,
  hears = true,
): Heard[] {
  const heard: Heard[] = [];
  const ticks = Array.from({ length: threads }, (_, thread) => ({
    postMessage(): void {
      if (hears) control.hear(thread);
      const { arrived, arrivalsEnded: isEnd } = control;
      heard.push({ thread, atMs: control.time.nowNs() / 1e6, arrived, isEnd });
    },
  }));
  new Pacer(control, SOURCE, ticks).pace(
    { plan, phase: 0, startNs: 5e6, clockOffsetMs: 0 },
    control.time,
  );
  return heard;
}

Deno.test("Pacer tells the threads in turn of each arrival at its time, and all of the end", () => {
  for (const earlyMs of [0, 3]) {
    const control = new SleeplessControl();
    control.earlyMs = earlyMs;
    assert.deepEqual(paced(openPhase({}, { requestCount: 3 }), control), [
      { thread: 0, atMs: 15, arrived: 1, isEnd: false },
      { thread: 1, atMs: 25, arrived: 2, isEnd: false },
      { thread: 0, atMs: 35, arrived: 3, isEnd: false },
      { thread: 0, atMs: 35, arrived: 3, isEnd: true },
      { thread: 1, atMs: 35, arrived: 3, isEnd: true },
    ]);
  }
});

Deno.test("Pacer tells nobody of what a thread has sent already", () => {
  class HastyControl extends SleeplessControl {
    override setArrived(count: number): void {
      super.setArrived(count);
      if (count === 2) { while (this.claimArrived(Infinity, 0) >= 0); }
    }
  }
  const heard = paced(openPhase({}, { requestCount: 3 }), new HastyControl());
  assert.deepEqual(heard.map(({ atMs }) => atMs), [15, 35, 35, 35]);
});

Deno.test("Pacer tells threads that have not looked yet nothing more but the end", () => {
  const plan = openPhase({}, { requestCount: 5 });
  const heard = paced(plan, new SleeplessControl(), 2, false);
  assert.deepEqual(heard.map(({ thread, atMs }) => [thread, atMs]), [
    ...[[0, 15], [1, 25]],
    ...[[0, 55], [1, 55]],
  ]);
});

Deno.test("Pacer has nothing arrive from the end of the phase on", () => {
  const control = new SleeplessControl();
  const heard = paced(openPhase({}, { durationNs: 30e6 }), control);
  assert.equal(control.arrived, 2);
  assert.deepEqual(heard.at(-1), { thread: 1, atMs: 25, arrived: 2, isEnd: true });
});

Deno.test("Pacer ends at once when the run is stopped", () => {
  const control = new SleeplessControl();
  control.stopAtNs = 42e6;
  const heard = paced(openPhase(), control);
  assert.equal(control.arrived, 3);
  assert.deepEqual(heard.slice(3), [
    { thread: 0, atMs: 42, arrived: 3, isEnd: true },
    { thread: 1, atMs: 42, arrived: 3, isEnd: true },
  ]);
});

Deno.test("Pacer leaves the next phase alone when it notices late that its own was stopped", () => {
  const control = new SleeplessControl();
  control.stopAtNs = 25e6;
  const stop = control.stop.bind(control);
  control.stop = () => {
    stop();
    control.beginPhase();
    control.stopAtNs = Infinity;
  };
  const heard = paced(openPhase({}, { requestCount: 9 }), control);
  assert.deepEqual(heard.map(({ atMs }) => atMs), [15]);
  assert.deepEqual([control.arrived, control.arrivalsEnded], [0, false]);
});

Deno.test("Pacer catches up with arrivals that are overdue, and drops none", () => {
  const control = new SleeplessControl();
  control.time.sleep(1000);
  const heard = paced(openPhase({}, { requestCount: 20 }), control, 1);
  assert.deepEqual(heard.map(({ arrived }) => arrived), [
    ...Array.from({ length: 20 }, (_, index) => index + 1),
    20,
  ]);
  assert.ok(heard.every(({ atMs }) => atMs === 1000));
});

Deno.test("Pacer has the threads of a closed loop look once", () => {
  assert.deepEqual(paced(closedPhase(2)).map(({ isEnd }) => isEnd), [true, true]);
});
