import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { interleaveAtomics } from "../../support/interleaved_atomics.ts";
import { openPhase } from "../../support/load_phases.ts";
import { ScriptedSender, type Sent } from "../../support/scripted_sender.ts";

class Bench {
  readonly time = new FakeTime();
  readonly control = new ControlBlock();
  readonly senders: readonly ScriptedSender[];
  #arrived = 0;

  constructor(plan: PhasePlan, threads = 1) {
    const { time, control } = this;
    this.senders = Array.from(
      { length: threads },
      (_, worker) => new ScriptedSender({ plan, control, time, worker }),
    );
    for (const { loop } of this.senders) loop.begin();
  }

  get sender(): ScriptedSender {
    return this.senders[0] as ScriptedSender;
  }

  /** A session arrives, and a thread is told. */
  arrive(worker = 0): void {
    this.control.setArrived(++this.#arrived);
    this.senders[worker]?.loop.onArrival();
  }

  /** No session arrives any more, and all threads are told. */
  endArrivals(): void {
    this.control.endArrivals();
    for (const { loop } of this.senders) loop.onArrival();
  }
}

Deno.test("OpenLoop sends what has arrived, whatever is under way", async () => {
  const bench = new Bench(openPhase());
  const { time, sender } = bench;
  assert.equal(sender.sent.length, 0);
  for (let n = 1; n <= 50; n++) {
    await time.pass(10);
    bench.arrive();
  }
  assert.equal(sender.underWay.length, 50);
  for (const [index, { session, intendedNs, claimedNs }] of sender.sent.entries()) {
    assert.deepEqual(session, {
      index,
      turns: [{ entry: index % 7, target: index % 2, model: index % 3, delayNs: 0 }],
    });
    assert.deepEqual([intendedNs, claimedNs], [(index + 1) * 10e6, (index + 1) * 10e6]);
  }
});

Deno.test("OpenLoop does not take its own lateness for a wait", async () => {
  const found: readonly [how: string, concurrency: number, find: (bench: Bench) => void][] = [
    ["the pacer's word comes late", 2, (bench) => bench.arrive()],
    ["it is found before the pacer's word, where nothing waits", Infinity, ({ sender }) => {
      sender.end(0);
    }],
  ];
  for (const [how, concurrency, find] of found) {
    const bench = new Bench(openPhase({ concurrency }));
    await bench.time.pass(10);
    bench.arrive();
    await bench.time.pass(15);
    bench.control.setArrived(2);
    find(bench);
    const { intendedNs, claimedNs, atNs } = bench.sender.sent[1] as Sent;
    assert.deepEqual([intendedNs, claimedNs, atNs], [20e6, 20e6, 25e6], how);
  }
});

Deno.test("OpenLoop sends what is due without the pacer's word when it looks", async () => {
  const bench = new Bench(openPhase({}, { requestCount: 4, durationNs: 35e6 }));
  const { time, control, sender } = bench;
  await time.pass(10);
  bench.arrive();
  await time.pass(9.99);
  sender.loop.onArrival();
  assert.deepEqual(sender.indexes, [0], "none before its time");
  await time.pass(10.01);
  sender.end(0);
  assert.deepEqual(sender.indexes, [0, 1, 2]);
  assert.equal(control.arrived, 3);
  for (const { intendedNs, claimedNs } of sender.sent) assert.equal(claimedNs, intendedNs);
  // The pacer says so later.
  bench.arrive();
  assert.deepEqual([control.arrived, sender.sent.length], [3, 3]);
  await time.pass(20);
  sender.loop.onArrival();
  assert.equal(sender.sent.length, 3, "none after the end");
});

Deno.test("OpenLoop leaves it to the pacer when a person changed the load, and when it is over", async () => {
  const steered = new Bench(openPhase());
  steered.control.steering.setTempo(5e6, 0.5);
  const stopped = new Bench(openPhase());
  stopped.control.stop();
  for (const { time, sender } of [steered, stopped]) {
    await time.pass(100);
    sender.loop.onArrival();
    assert.deepEqual(sender.sent, []);
  }
});

Deno.test("OpenLoop opens connections before it begins, and does not wait for them", async () => {
  const time = new FakeTime();
  const control = new ControlBlock();
  const plan = openPhase();
  const prepared = new Promise<void>(() => {});
  const stage = { plan, control, time, connections: 7, prepared };
  const sender = new ScriptedSender({ ...stage, leadNs: 30e6 });
  sender.loop.begin();
  assert.deepEqual([sender.preparations, sender.preparationTimesMs], [[7], [30]]);
  await time.pass(40);
  control.setArrived(1);
  sender.loop.onArrival();
  assert.deepEqual(sender.indexes, [0]);
  const late = new ScriptedSender({ ...stage, control: new ControlBlock() });
  late.loop.begin();
  assert.deepEqual(late.preparations, [], "it has begun already");
});

Deno.test("OpenLoop has arrivals wait for a slot, tells how long, and drops none", async () => {
  const bench = new Bench(openPhase({ concurrency: 2 }, { requestCount: 6 }));
  const { time, control, sender } = bench;
  for (let n = 1; n <= 6; n++) {
    await time.pass(10);
    bench.arrive();
  }
  bench.endArrivals();
  assert.deepEqual(sender.underWay, [0, 1]);
  await time.pass(40);
  sender.end(1);
  assert.deepEqual(sender.underWay, [0, 2], "the one that has waited longest");
  await time.pass(40);
  sender.end(0, "timeout");
  sender.end(2);
  await time.pass(10);
  sender.endAll();
  assert.deepEqual(
    sender.sent.map(({ intendedNs, claimedNs, atNs }) => [intendedNs, claimedNs, atNs]),
    [
      [10e6, 10e6, 10e6],
      [20e6, 20e6, 20e6],
      [30e6, 100e6, 100e6],
      [40e6, 140e6, 140e6],
      [50e6, 140e6, 140e6],
      [60e6, 150e6, 150e6],
    ],
  );
  assert.deepEqual([control.arrived - control.claimed, sender.timesDone], [0, 1]);
});

Deno.test("OpenLoop does not take a difference of two clocks for a wait", async () => {
  const bench = new Bench(openPhase({ concurrency: 1 }));
  await bench.time.pass(10);
  bench.arrive();
  // The pacer's clock is ahead of this thread's.
  await bench.time.pass(9.99);
  bench.control.setArrived(2);
  bench.sender.end(0);
  const { intendedNs, claimedNs } = bench.sender.sent[1] as Sent;
  assert.deepEqual([intendedNs, claimedNs], [20e6, 20e6]);
});

Deno.test("OpenLoop leaves over what waits when its duration ends", async () => {
  const bench = new Bench(openPhase({ concurrency: 1 }, { durationNs: 55e6 }));
  const { time, control, sender } = bench;
  for (let n = 1; n <= 5; n++) {
    await time.pass(10);
    bench.arrive();
  }
  bench.endArrivals();
  await time.pass(4);
  sender.end(0);
  assert.deepEqual(sender.underWay, [1]);
  await time.pass(1);
  sender.end(1);
  assert.deepEqual([sender.sent.length, sender.timesDone], [2, 1]);
  assert.deepEqual([control.arrived, control.claimed, control.inFlight], [5, 2, 0]);
});

Deno.test("OpenLoop is done when nothing will arrive any more and the last reply is there", async () => {
  const bench = new Bench(openPhase(), 2);
  const [first, second] = bench.senders as [ScriptedSender, ScriptedSender];
  await bench.time.pass(10);
  bench.arrive(0);
  first.endAll();
  assert.deepEqual([first.timesDone, second.timesDone], [0, 0], "more may arrive");
  await bench.time.pass(10);
  bench.arrive(1);
  bench.endArrivals();
  assert.deepEqual([first.timesDone, second.timesDone], [1, 0]);
  second.endAll();
  bench.endArrivals();
  assert.deepEqual([first.timesDone, second.timesDone], [1, 1]);
});

Deno.test("OpenLoop sends what arrives while it looks whether it is done", () => {
  for (let place = 0; place < 20; place++) {
    const control = new ControlBlock();
    const sender = new ScriptedSender({ plan: openPhase(), control, time: new FakeTime() });
    let looks = 0;
    const pace = (): void => {
      control.setArrived(1);
      control.endArrivals();
    };
    {
      using _ = interleaveAtomics(() => {
        if (looks++ === place) pace();
      });
      sender.loop.begin();
    }
    if (looks <= place) pace();
    sender.loop.onArrival();
    sender.endAll();
    assert.deepEqual([sender.indexes, sender.timesDone], [[0], 1], `arrival at look ${place}`);
  }
});

Deno.test("OpenLoop finds by itself what waited for the slots of a thread that died", async () => {
  const bench = new Bench(openPhase({ concurrency: 2 }, { requestCount: 5 }), 2);
  const { time, control } = bench;
  const [dead, living] = bench.senders as [ScriptedSender, ScriptedSender];
  for (let n = 1; n <= 5; n++) {
    await time.pass(10);
    bench.arrive(n <= 2 ? 0 : 1);
  }
  bench.endArrivals();
  assert.deepEqual([dead.underWay, living.underWay], [[0, 1], []], "it holds all slots");
  living.loop.onTick();
  assert.deepEqual(living.underWay, []);
  control.loseWorker(0);
  assert.equal(living.timesDone, 0, "three have arrived and wait");
  await time.pass(50);
  living.loop.onTick();
  assert.deepEqual(living.underWay, [2, 3]);
  assert.deepEqual(living.sent.map(({ claimedNs }) => claimedNs), [100e6, 100e6]);
  living.endAll();
  assert.deepEqual([living.indexes, living.timesDone], [[2, 3, 4], 1]);
  assert.deepEqual([control.succeeded, control.failed, control.inFlight], [3, 2, 0]);
});

Deno.test("OpenLoop finds at a tick what other threads have sent, and is done", async () => {
  const bench = new Bench(openPhase({ concurrency: 1 }), 2);
  const [first, second] = bench.senders as [ScriptedSender, ScriptedSender];
  await bench.time.pass(20);
  bench.arrive(0);
  bench.arrive(1);
  bench.endArrivals();
  assert.deepEqual([first.underWay, second.underWay], [[0], []]);
  first.endAll();
  assert.deepEqual([first.indexes, first.timesDone, second.timesDone], [[0, 1], 1, 0]);
  second.loop.onTick();
  assert.equal(second.timesDone, 1);
});

Deno.test("OpenLoop sends nothing after a stop, and leaves over what waits", async () => {
  const bench = new Bench(openPhase({ concurrency: 1 }));
  const { time, control, sender } = bench;
  await time.pass(30);
  bench.arrive();
  bench.arrive();
  control.stop();
  sender.loop.onStop();
  bench.arrive();
  assert.deepEqual([sender.underWay, sender.timesDone], [[0], 0]);
  sender.end(0, "cancelled");
  assert.deepEqual([sender.sent.length, sender.timesDone], [1, 1]);
  assert.equal(control.arrived - control.claimed, 2);
  for (const look of ["onArrival", "onStop", "onTick"] as const) sender.loop[look]();
  assert.equal(sender.timesDone, 1, "it says so once");
});
