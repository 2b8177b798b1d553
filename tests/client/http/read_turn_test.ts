import assert from "node:assert/strict";
import { ReadTurn } from "../../../src/client/http/read_turn.ts";

/** Callbacks chained to it run in the same turn of the event loop, one step after another. */
async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

/** A clock that goes on when it is told to. */
function fakeClock(): { nowNs: () => number; pass: (ns: number) => void } {
  let ns = 1000;
  return { nowNs: () => ns, pass: (passedNs) => ns += passedNs };
}

Deno.test("ReadTurn stamps all reads of a turn alike, and those of the next one anew", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  const first = turn.stamp();
  pass(5000);
  assert.deepEqual([first, turn.stamp()], [1000, 1000]);
  await microtasks(3);
  assert.equal(turn.stamp(), 6000);
});

Deno.test("ReadTurn looks after the reads, in their order, while there is time", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  const looks: number[] = [];
  for (const index of [0, 1, 2]) {
    turn.stamp();
    turn.add({ look: () => (looks.push(index), pass(1e5)) });
  }
  assert.deepEqual(looks, []);
  await microtasks(3);
  assert.deepEqual(looks, [0, 1, 2]);
});

Deno.test("ReadTurn lets in what has no time to wait, before and between the looks", async () => {
  const order: string[] = [];
  const turn = new ReadTurn(fakeClock().nowNs, () => order.push("between"));
  for (const index of [0, 1]) {
    turn.stamp();
    turn.add({ look: () => order.push(`look ${index}`) });
  }
  await microtasks(3);
  assert.deepEqual(order, ["between", "look 0", "between", "look 1", "between"]);
});

Deno.test("ReadTurn leaves what it has no time for to the turns that follow", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  const looks: number[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  for (const index of [0, 1, 2]) {
    turn.stamp();
    turn.add({
      look: () => {
        looks.push(index);
        pass(1e6);
        if (index === 2) resolve();
      },
    });
  }
  await microtasks(3);
  assert.deepEqual(looks, [0]);
  // Any read takes it up again, not only one that brings something to look at.
  turn.stamp();
  await microtasks(3);
  assert.deepEqual(looks, [0, 1]);
  // And so it goes on when no read comes at all.
  await all;
  assert.deepEqual(looks, [0, 1, 2]);
});

Deno.test("ReadTurn looks for longer where nothing is read any more", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  const { promise: all, resolve } = Promise.withResolvers<void>();
  /** Looks of each turn, or timer: no microtask comes between those. */
  const sittings: number[] = [];
  let isNew = true;
  for (let index = 0; index < 20; index++) {
    turn.stamp();
    turn.add({
      look: () => {
        if (isNew) sittings.push(0);
        isNew = false;
        queueMicrotask(() => isNew = true);
        sittings.push((sittings.pop() ?? 0) + 1);
        pass(0.25e6);
        if (index === 19) resolve();
      },
    });
  }
  await all;
  assert.deepEqual(sittings, [2, 8, 8, 2]);
});

Deno.test("ReadTurn looks at one reply only in a turn of many reads", async () => {
  const turn = new ReadTurn(fakeClock().nowNs);
  let looks = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (++looks === 100) resolve();
  };
  for (let i = 0; i < 100; i++) {
    turn.stamp();
    turn.add({ look });
  }
  await microtasks(3);
  assert.equal(looks, 1);
  await all;
});

/** A turn with a read that began in another one: what it brings was written after this. */
async function turnWith(turn: ReadTurn, begun: number): Promise<number> {
  turn.stamp();
  const sinceNs = turn.sinceNs(begun);
  await microtasks(3);
  return sinceNs;
}

Deno.test("ReadTurn says that reads came after the turn before the last one had ended", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  assert.ok(Number.isNaN(await turnWith(turn, -1)), "there was no turn before");
  pass(1000);
  assert.ok(Number.isNaN(await turnWith(turn, -1)));
  pass(1000);
  assert.equal(await turnWith(turn, -1), 1000);
  pass(1000);
  const begun = turn.number;
  assert.ok(Number.isNaN(await turnWith(turn, begun)), "the read was not under way by then");
  pass(1000);
  assert.ok(Number.isNaN(await turnWith(turn, begun)));
  pass(1000);
  assert.equal(await turnWith(turn, begun), 4000);
});

Deno.test("ReadTurn does not say it with so many connections that some reads are put off", async () => {
  const { nowNs, pass } = fakeClock();
  const turn = new ReadTurn(nowNs);
  for (let i = 0; i < 2; i++) {
    await turnWith(turn, -1);
    pass(1000);
  }
  for (let i = 0; i < 128; i++) turn.open();
  assert.ok(Number.isNaN(await turnWith(turn, -1)));
  for (let i = 0; i < 64; i++) turn.close();
  assert.equal(await turnWith(turn, -1), 2000);
});
