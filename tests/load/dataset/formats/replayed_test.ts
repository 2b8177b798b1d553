import assert from "node:assert/strict";
import fc from "fast-check";
import type { Conversation } from "../../../../src/load/dataset/conversations/conversation.ts";
import { replayed } from "../../../../src/load/dataset/formats/replayed.ts";

const turn = (timestampMs: number | undefined, delayMs = 0): Conversation["turns"][number] => ({
  request: { kind: "body", body: {} },
  delayMs,
  timestampMs,
  followsHistory: false,
});

async function timesOf(
  conversations: readonly Conversation[],
  schedule: Parameters<typeof replayed>[1],
  speedup = 1,
) {
  const source = async function* () {
    yield* conversations;
  };
  const made = await Array.fromAsync(
    replayed(source(), schedule, speedup),
  );
  return made.map(({ turns }) => turns.map(({ timestampMs, delayMs }) => [timestampMs, delayMs]));
}

Deno.test("replayed keeps what lies within the bounds, which belong to it", async () => {
  const all = [9, 10, 15, 20, 21].map((time) => ({ id: undefined, turns: [turn(time)] }));
  assert.deepEqual(
    (await timesOf(all, { zeroMs: 10, startMs: 10, endMs: 20 })).flat(),
    [[10, 0], [15, 0], [20, 0]],
  );
});

Deno.test("replayed leaves out a turn without a time where the one before it is left out", async () => {
  const one = { id: "a", turns: [turn(0), turn(undefined, 3), turn(10), turn(undefined, 4)] };
  assert.deepEqual(
    await timesOf([one], { zeroMs: 5, startMs: 5, endMs: Infinity }),
    [[[10, 0], [undefined, 4]]],
  );
  assert.deepEqual(
    await timesOf([one], { zeroMs: undefined, startMs: -Infinity, endMs: 5 }),
    [[[0, 0], [undefined, 3]]],
  );
  // The first one may have been left out for its length.
  const headless = { id: "b", turns: [turn(undefined, 3), turn(10), turn(undefined, 4)] };
  const always = { zeroMs: undefined, startMs: -Infinity, endMs: Infinity };
  assert.deepEqual(await timesOf([headless], always), [[[10, 0], [undefined, 4]]]);
});

Deno.test("replayed drops times without a schedule, and speeds delays up", async () => {
  const one = { id: "a", turns: [turn(5, 3), turn(undefined, 30), turn(90)] };
  assert.deepEqual(await timesOf([one], undefined, 10), [
    [[undefined, 0], [undefined, 3], [undefined, 0]],
  ]);
});

Deno.test("replayed keeps the order of times, whatever the speed", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 2 }),
    fc.double({ min: 0.001, max: 1e4, noNaN: true }),
    async (times, speedup) => {
      const all = times.map((time) => ({ id: undefined, turns: [turn(time)] }));
      const scaled = (await timesOf(
        all,
        { zeroMs: undefined, startMs: -Infinity, endMs: Infinity },
        speedup,
      )).map(([first]) => first?.[0] as number);
      times.forEach((time, i) =>
        times.forEach((other, j) => {
          if (time < other) assert.ok((scaled[i] as number) <= (scaled[j] as number));
        })
      );
    },
  ));
});
