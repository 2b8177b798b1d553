import assert from "node:assert/strict";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { SystemIdle } from "../../../src/load/worker/system_idle.ts";
import { FakeTime } from "../../support/fake_time.ts";

const CAP_MS = 100;

/** Pending calls of a thread, and its share in keeping the run from being idle. */
class Thread {
  readonly idle: SystemIdle;
  readonly dueMs: number[] = [];

  constructor(control: ControlBlock, worker: number, time: FakeTime) {
    const setting = { worker, capNs: CAP_MS * 1e6, startNs: 0, clock: time, timers: time };
    this.idle = new SystemIdle({ ...setting, cells: control.idle }, {
      firstDueNs: () => Math.min(...this.dueMs) * 1e6,
      move: (byNs) => this.dueMs.forEach((ms, place) => this.dueMs[place] = ms - byNs / 1e6),
    });
  }

  add(...dueMs: number[]): void {
    this.dueMs.push(...dueMs);
    this.idle.look();
  }
}

function threadsOf(): { time: FakeTime; control: ControlBlock; one: Thread; other: Thread } {
  const time = new FakeTime();
  const control = new ControlBlock();
  control.beginPhase(true);
  return {
    time,
    control,
    one: new Thread(control, 0, time),
    other: new Thread(new ControlBlock(control.buffer), 1, time),
  };
}

Deno.test("SystemIdle moves the calls of all threads by the same time when the last call ends", async () => {
  const { time, one, other } = threadsOf();
  one.idle.start();
  one.add(5000);
  other.add(900, 2000);
  await time.pass(150);
  assert.deepEqual([one.dueMs, other.dueMs], [[5000], [900, 2000]], "a call is in flight");
  one.idle.end();
  one.idle.look();
  await time.pass(CAP_MS);
  // The first call is due when the cap ends: all are due 650 ms earlier.
  assert.deepEqual([one.dueMs, other.dueMs], [[4350], [250, 1350]]);
});

Deno.test("SystemIdle moves calls again after another time without calls in flight", async () => {
  const { time, one, other } = threadsOf();
  one.add(1000);
  other.add(1500);
  await time.pass(CAP_MS);
  assert.deepEqual([one.dueMs, other.dueMs], [[100], [600]]);
  one.dueMs.length = 0;
  one.idle.start();
  one.idle.look();
  await time.pass(50);
  one.idle.end();
  one.idle.look();
  await time.pass(CAP_MS);
  // The last call ended at 150 ms.
  assert.deepEqual(other.dueMs, [250]);
});

Deno.test("SystemIdle leaves calls alone that are due within the cap, or follow a lost thread", async () => {
  const { time, control, one, other } = threadsOf();
  one.add(80);
  other.add(3000);
  await time.pass(50);
  assert.deepEqual([one.dueMs, other.dueMs], [[80], [3000]]);
  // Its calls are not sent any more: those of the others need not wait for them.
  one.idle.start();
  one.dueMs.length = 0;
  control.loseWorker(0);
  await time.pass(CAP_MS);
  assert.deepEqual(other.dueMs, [100]);
});

Deno.test("IdleCells keeps the latest end of a call, in whatever order threads report them", () => {
  const { idle } = new ControlBlock();
  idle.reset();
  idle.start(0);
  idle.start(1);
  idle.end(1, 100e6);
  idle.end(0, 40e6);
  idle.begin(0);
  idle.setFirstDue(0, 1000e6, 0);
  idle.shorten(CAP_MS * 1e6);
  assert.equal(idle.movedNs, 800e6);
});
