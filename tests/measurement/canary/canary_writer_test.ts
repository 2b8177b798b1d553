import assert from "node:assert/strict";
import type { CanaryWish } from "../../../src/measurement/canary/canary_cells.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryWriter } from "../../../src/measurement/canary/canary_writer.ts";

/** A clock that only sleep and turns move on. */
function fakeTime() {
  let nowNs = 0;
  return {
    clock: { nowNs: () => nowNs },
    passMs(milliseconds: number): void {
      nowNs += Math.max(0, milliseconds) * 1e6;
    },
  };
}

Deno.test("CanaryWriter writes what is wished when it is due, and turns in between", async () => {
  const { clock, passMs } = fakeTime();
  const written: [worker: number, kind: number, intendedMs: number, writtenMs: number][] = [];
  let wishes: (CanaryWish & { worker: number })[] = [];
  let turns = 0;
  let isOver = false;
  const writer = new CanaryWriter({
    server: {
      isComplete: false,
      write: (worker, kind, intendedNs, nowNs) =>
        written.push([worker, kind, intendedNs / 1e6, nowNs() / 1e6]),
    },
    cells: {
      isUnderWay: () => !isOver,
      *take() {
        yield* wishes;
        wishes = [];
      },
      wakeCount: 0,
      sleep: (_, milliseconds) => passMs(milliseconds),
    },
    workers: 2,
    // No random instants within the test.
    random: () => 1 - 1e-300,
    turn() {
      turns++;
      passMs(1);
      if (turns === 2) {
        wishes = [
          { worker: 1, kind: CANARY_KIND.last, dueNs: 90e6 },
          { worker: 0, kind: CANARY_KIND.first, dueNs: 55e6 },
        ];
      }
      if (turns === 40) isOver = true;
      return Promise.resolve();
    },
  });
  await writer.run(1, clock, 0);
  assert.deepEqual(
    written.map(([worker, kind, intended]) => [worker, kind, intended]),
    [[0, CANARY_KIND.first, 55], [1, CANARY_KIND.last, 90]],
  );
  for (const [, , intended, at] of written) assert.ok(at - intended < 0.001, `${intended} ${at}`);
});

Deno.test("CanaryWriter turns before more is written than the runtime sends at once", async () => {
  const { clock, passMs } = fakeTime();
  let wishes: (CanaryWish & { worker: number })[] = Array.from(
    { length: 200 },
    () => ({ worker: 0, kind: CANARY_KIND.first, dueNs: 1e6 }),
  );
  const perTurn: number[] = [];
  let written = 0;
  const writer = new CanaryWriter({
    server: { isComplete: true, write: () => void written++ },
    cells: {
      isUnderWay: (phase) => phase === 3 && clock.nowNs() < 50e6,
      // Those that are there at the beginning are of a phase before.
      *take() {
        if (clock.nowNs() === 0) return passMs(1);
        yield* wishes;
        wishes = [];
      },
      wakeCount: 0,
      sleep: (_, milliseconds) => passMs(milliseconds),
    },
    workers: 1,
    random: () => 1 - 1e-300,
    turn() {
      perTurn.push(written);
      written = 0;
      return Promise.resolve();
    },
  });
  await writer.run(3, clock, 0);
  assert.deepEqual([...perTurn, written], [64, 64, 64, 8]);
});

Deno.test("CanaryWriter knows that load has begun before it looked, and forgets an earlier phase's shadows", async () => {
  const { clock, passMs } = fakeTime();
  let wishes: (CanaryWish & { worker: number })[] = [
    { worker: 0, kind: CANARY_KIND.first, dueNs: 5e6 },
    { worker: 0, kind: CANARY_KIND.poisson, dueNs: 0 },
  ];
  const kinds: number[] = [];
  const writer = new CanaryWriter({
    server: { isComplete: true, write: (_, kind) => void kinds.push(kind) },
    cells: {
      isUnderWay: () => clock.nowNs() < 50e6,
      *take() {
        yield* wishes;
        wishes = [];
      },
      wakeCount: 0,
      sleep: (_, milliseconds) => passMs(Math.min(milliseconds, 50)),
    },
    workers: 1,
    // One random instant every 2 ms, or every 67.
    random: () => 1 - 1 / Math.E,
    turn: () => Promise.resolve(passMs(1)),
  });
  await writer.run(1, clock, 0);
  assert.ok(kinds.length > 20 && kinds.length < 28, `${kinds.length}`);
  assert.ok(kinds.every((kind) => kind === CANARY_KIND.poisson));
});
