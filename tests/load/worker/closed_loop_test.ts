import assert from "node:assert/strict";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase } from "../../support/load_phases.ts";
import { ScriptedSender, type Sent, type Stage } from "../../support/scripted_sender.ts";

interface Bench {
  readonly time: FakeTime;
  readonly control: ControlBlock;
  readonly sender: ScriptedSender;
}

function benchOf(plan: PhasePlan, stage: Partial<Stage> = {}): Bench {
  const time = new FakeTime();
  const control = new ControlBlock();
  const sender = new ScriptedSender({ plan, control, time, ...stage });
  return { time, control, sender };
}

/** A loop whose users are all admitted. */
async function admitted(plan: PhasePlan): Promise<Bench> {
  const bench = benchOf(plan);
  bench.sender.loop.begin();
  await bench.time.pass(100);
  for (let index = 0; index < plan.load.concurrency; index++) bench.sender.write(index);
  assert.equal(bench.sender.underWay.length, plan.load.concurrency);
  return bench;
}

Deno.test("ClosedLoop opens a connection for each user, and lets them settle, before the first request", async () => {
  const settling: readonly [users: number, settleMs: number][] = [[8, 2], [100, 25], [4000, 100]];
  for (const [users, settleMs] of settling) {
    const prepared = Promise.withResolvers<void>();
    const { time, sender } = benchOf(closedPhase(users), { prepared: prepared.promise });
    sender.loop.begin();
    await time.pass(500);
    assert.deepEqual([sender.preparations, sender.sent], [[users], []]);
    prepared.resolve();
    await time.pass(settleMs - 0.001);
    assert.equal(sender.sent.length, 0, `${users} users are let settle`);
    await time.pass(0.001);
    assert.ok(sender.sent.length > 0, `${users} users settle for ${settleMs} ms`);
  }
});

Deno.test("ClosedLoop does not have a handful of users settle", async () => {
  const { time, sender } = benchOf(closedPhase(4));
  sender.loop.begin();
  await time.pass(0);
  assert.deepEqual(sender.indexes, [0, 1, 2, 3]);
});

Deno.test("ClosedLoop admits four users at once, the next when the request of one is written", async () => {
  const { time, sender } = benchOf(closedPhase(9));
  sender.loop.begin();
  await time.pass(100);
  assert.deepEqual(sender.indexes, [0, 1, 2, 3]);
  sender.write(2);
  assert.deepEqual(sender.indexes, [0, 1, 2, 3, 4]);
  sender.write(2);
  assert.deepEqual(sender.indexes.length, 5, "each is written once");
  sender.write(0);
  sender.write(4);
  assert.deepEqual(sender.unwritten, [1, 3, 5, 6]);
  sender.end(1);
  assert.deepEqual(sender.indexes, [0, 1, 2, 3, 4, 5, 6, 7, 8], "its own next, and the next user");
  for (const index of sender.unwritten) sender.write(index);
  assert.equal(sender.sent.length, 10, "the ninth user, and the next of the one that ended");
  assert.equal(sender.underWay.length, 9);
});

Deno.test("ClosedLoop admits the others at the next tick when a connection takes long", async () => {
  const { time, sender } = benchOf(closedPhase(10));
  sender.loop.onTick();
  sender.loop.begin();
  sender.loop.onTick();
  assert.equal(sender.sent.length, 0, "not before connections are opened");
  await time.pass(100);
  assert.equal(sender.sent.length, 4);
  sender.loop.onTick();
  assert.equal(sender.sent.length, 8);
  sender.write(0);
  assert.equal(sender.sent.length, 8, "a user who was not waited for makes no room");
  sender.loop.onTick();
  sender.loop.onTick();
  assert.deepEqual(sender.underWay.length, 10);
});

Deno.test("ClosedLoop has each user send the next request when the last has ended", async () => {
  const { time, control, sender } = await admitted(closedPhase(3, { requestCount: 8 }));
  await time.pass(7);
  sender.end(1);
  sender.end(0, "http_status");
  sender.end(3, "timeout");
  assert.deepEqual(sender.underWay, [2, 4, 5]);
  const { session, ...times } = sender.sent[3] as Sent;
  assert.deepEqual(session, { index: 3, turns: [{ entry: 3, target: 1, model: 0, delayNs: 0 }] });
  assert.deepEqual(times, { intendedNs: 107e6, claimedNs: 107e6, atNs: 107e6 });
  sender.endAll();
  assert.deepEqual(sender.indexes, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual([control.succeeded, control.failed, control.inFlight], [6, 2, 0]);
  assert.equal(sender.timesDone, 1);
});

Deno.test("ClosedLoop has a user who cannot connect wait before the next attempt", async () => {
  for (const error of ["connect", "tls"] as const) {
    const { time, sender } = await admitted(closedPhase(2));
    sender.end(0, error);
    await time.pass(60);
    sender.end(1, error);
    assert.deepEqual(sender.underWay, []);
    assert.equal(sender.timesDone, 0, "both will come back");
    await time.pass(39);
    assert.equal(sender.sent.length, 2);
    await time.pass(1);
    assert.deepEqual(sender.underWay, [2], "100 ms after the first one failed");
    await time.pass(60);
    assert.deepEqual(sender.underWay, [2, 3], "100 ms after the second one failed");
  }
});

/** Ends everything that is sent for so long at once; gives the times, in milliseconds. */
async function failFor(
  { time, sender }: Bench,
  milliseconds: number,
  error: ErrorKind,
): Promise<number[]> {
  const first = sender.sent.length;
  for (let passed = 0; passed < milliseconds; passed += 10) {
    for (const index of sender.underWay) sender.end(index, error);
    await time.pass(10);
  }
  return sender.sent.slice(first).map(({ atNs }) => atNs / 1e6);
}

Deno.test("ClosedLoop asks a server less and less often the longer it is away", async () => {
  const bench = await admitted(closedPhase(1));
  const startMs = bench.time.nowNs() / 1e6;
  const times = await failFor(bench, 6000, "connect");
  assert.deepEqual(
    times.map((time) => Math.round((time - startMs) / 100)),
    [1, 2, 4, 8, 16, 26, 36, 46, 56],
  );
});

Deno.test("ClosedLoop pauses also when connections are closed without a reply", async () => {
  const bench = await admitted(closedPhase(4));
  const times = await failFor(bench, 3000, "truncated");
  assert.ok(times.length <= 4 * 6, `${times.length} requests`);
});

Deno.test("ClosedLoop pauses as briefly as at first when the server was there in between", async () => {
  const bench = await admitted(closedPhase(2));
  await failFor(bench, 5000, "connect");
  await bench.time.pass(1000);
  const [index, other] = bench.sender.underWay as [number, number];
  bench.sender.end(index);
  bench.sender.end(other, "connect");
  const before = bench.sender.sent.length;
  await bench.time.pass(99);
  assert.equal(bench.sender.sent.length, before);
  await bench.time.pass(1);
  assert.equal(bench.sender.sent.length, before + 1);
});

Deno.test("ClosedLoop does not pause after a reply of any kind", async () => {
  for (const error of ["http_status", "timeout", "malformed_chunk"] as const) {
    const { sender } = await admitted(closedPhase(1));
    sender.end(0, error);
    assert.equal(sender.sent.length, 2);
  }
});

Deno.test("ClosedLoop counts cancelled requests apart", async () => {
  const { control, sender } = await admitted(closedPhase(3));
  control.stop();
  sender.end(0, "cancelled");
  sender.end(1, "cut_off");
  sender.end(2);
  assert.deepEqual([control.succeeded, control.failed, control.cancelled], [1, 1, 1]);
});

Deno.test("ClosedLoop begins nothing after its duration, and is done when the last reply is there", async () => {
  const { time, sender } = await admitted(closedPhase(2, { durationNs: 1e9 }));
  await time.pass(899.9);
  sender.end(0);
  assert.equal(sender.sent.length, 3, "just in time");
  await time.pass(0.1);
  sender.end(1, "connect");
  sender.end(2);
  assert.equal(sender.timesDone, 0, "one user is still away");
  await time.pass(100);
  assert.deepEqual([sender.sent.length, sender.timesDone], [3, 1]);
});

Deno.test("ClosedLoop begins nothing after a stop", async () => {
  const { control, sender } = await admitted(closedPhase(2));
  control.stop();
  sender.loop.onStop();
  assert.equal(sender.timesDone, 0, "two are under way");
  sender.end(0, "cancelled");
  sender.end(1, "cancelled");
  assert.deepEqual([sender.sent.length, sender.timesDone], [2, 1]);
  sender.loop.onStop();
  sender.loop.onTick();
  sender.loop.onArrival();
  assert.equal(sender.timesDone, 1, "it says so once");
});

Deno.test("ClosedLoop that is stopped before anybody is admitted ends without a request", async () => {
  const prepared = Promise.withResolvers<void>();
  const { time, control, sender } = benchOf(closedPhase(50), { prepared: prepared.promise });
  sender.loop.begin();
  await time.pass(10);
  control.stop();
  sender.loop.onStop();
  assert.equal(sender.timesDone, 0, "connections are being opened");
  prepared.resolve();
  await time.pass(100);
  assert.deepEqual([sender.sent.length, sender.timesDone, time.pending], [0, 1, 0]);
});

Deno.test("ClosedLoop is done at once when it has no users, or nothing to send", async () => {
  for (const [users, requestCount] of [[0, Infinity], [20, 0]] as const) {
    const { time, sender } = benchOf(closedPhase(users, { requestCount }));
    sender.loop.begin();
    await time.pass(100);
    assert.deepEqual([sender.sent.length, sender.timesDone], [0, 1]);
  }
});

Deno.test("ClosedLoop stops the run when the first user has no session left, if it is to", async () => {
  for (const fields of [{ endsWithFirstIdle: true as const }, {}]) {
    const { control, sender } = await admitted(closedPhase(2, { sessionCount: 3, ...fields }));
    sender.end(0);
    assert.deepEqual([sender.indexes, control.stopped], [[0, 1, 2], false]);
    sender.end(1);
    assert.equal(control.stopped, fields.endsWithFirstIdle === true);
    assert.equal(control.idle.firstUserNs !== undefined, fields.endsWithFirstIdle === true);
  }
});

Deno.test("ClosedLoop stops the run when the first user without a session found no server", async () => {
  const plan = closedPhase(2, { sessionCount: 2, endsWithFirstIdle: true });
  const { control, sender, time } = await admitted(plan);
  sender.end(0, "connect");
  assert.equal(control.stopped, false, "the user pauses");
  await time.pass(1000);
  assert.equal(control.stopped, true);
  sender.end(1);
  assert.deepEqual([sender.sent.length, sender.timesDone], [2, 1]);
});
