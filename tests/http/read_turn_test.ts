import assert from "node:assert/strict";
import { ReadTurn } from "../../src/http/read_turn.ts";

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
