import assert from "node:assert/strict";
import { SlotQueue } from "../../src/mock/slot_queue.ts";

Deno.test("SlotQueue lets in as many as it has slots, the others in their order", async () => {
  const waiting: number[] = [];
  const queue = new SlotQueue(2, (count) => waiting.push(count));
  const entered: number[] = [];
  const entries = [0, 1, 2, 3, 4].map(async (number) => {
    await queue.enter();
    entered.push(number);
  });
  await Promise.all(entries.slice(0, 2));
  assert.deepEqual(entered, [0, 1]);
  assert.deepEqual(waiting, [1, 2, 3]);
  for (const number of [2, 3, 4]) {
    queue.leave();
    await entries[number];
    assert.deepEqual(entered, [0, 1, 2, 3, 4].slice(0, number + 1));
  }
  assert.deepEqual(waiting, [1, 2, 3, 2, 1, 0]);
});

Deno.test("SlotQueue has its slots back once all have left", async () => {
  const queue = new SlotQueue(1, () => assert.fail("nobody waits"));
  for (let round = 0; round < 3; round++) {
    await queue.enter();
    queue.leave();
  }
});

Deno.test("SlotQueue without a limit lets everybody in", async () => {
  const queue = new SlotQueue(Infinity, () => assert.fail("nobody waits"));
  await Promise.all(Array.from({ length: 1000 }, () => queue.enter()));
});
