import assert from "node:assert/strict";
import fc from "fast-check";
import { createWorkload } from "../../../src/load/workload/create_workload.ts";
import { UserCentricWorkload } from "../../../src/load/workload/user_centric_workload.ts";
import { userSessions } from "../../../src/load/workload/user_turns.ts";
import type { Session, Workload } from "../../../src/load/workload/workload.ts";
import { openPhase, SOURCE } from "../../support/load_phases.ts";

const TURNS = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 });

/** Times of all turns until then, if every reply is there in time. */
function sends(users: number, rate: number, turns: readonly number[], untilNs: number): number[] {
  const times: number[] = [];
  for (
    const session of userSessions(users, rate, (index) => turns[index % turns.length] as number)
  ) {
    if (session.arrivalNs >= untilNs) return times.sort((a, b) => a - b);
    for (let turn = 0; turn < session.turns; turn++) {
      times.push(session.arrivalNs + turn * users / rate * 1e9);
    }
  }
  return times;
}

Deno.test("users who take turns send at an even rate together, from the first request on", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 12 }), TURNS, (users, turns) => {
    const rate = 4;
    const times = sends(users, rate, turns, 20e9).filter((time) => time < 20e9 - 1);
    const expected = Array.from({ length: 80 }, (_, index) => index * 0.25e9);
    assert.equal(times.length, expected.length);
    times.forEach((time, index) => assert.ok(Math.abs(time - (expected[index] as number)) < 2));
  }));
});

Deno.test("users begin in the midst of their sessions, evenly spread, one of them afresh", () => {
  const first: number[] = [];
  for (const { turns } of userSessions(4, 1, () => 4)) {
    if (first.push(turns) === 5) break;
  }
  // The fifth session takes the place of the one that had one turn left.
  assert.deepEqual(first, [4, 3, 2, 1, 4]);
});

/** Sessions of three turns each. */
const THREE_TURNS: Workload = {
  sessionCount: Infinity,
  turnLimit: Infinity,
  session(index): Session {
    const turn = { entry: index, target: 0, model: 0, delayNs: 7 };
    return { index, turns: [turn, turn, turn] };
  },
  arrivalNs: () => 0,
};

Deno.test("UserCentricWorkload sends a turn a round after the one before, whatever the replies take", () => {
  const { load } = openPhase({ users: 3, ratePerSecond: 6 });
  assert.ok(load.loop === "open");
  const workload = new UserCentricWorkload(THREE_TURNS, load);
  // In any order: who asks does not matter.
  const arrivals = [5, 0, 3, 1, 2, 4].map((index) => [index, workload.arrivalNs(index) / 1e6]);
  assert.deepEqual(arrivals.sort((a, b) => (a[0] as number) - (b[0] as number)), [
    ...[[0, 0], [1, 500 / 3], [2, 1000 / 3]].map((
      [index, ms],
    ) => [index, Math.round((ms as number) * 1e6) / 1e6]),
    ...[[3, 500 + 1000 / 3], [4, 1000 + 500 / 3], [5, 1500]].map((
      [index, ms],
    ) => [index, Math.round((ms as number) * 1e6) / 1e6]),
  ]);
  assert.deepEqual([0, 1, 2, 3].map((index) => workload.session(index).turns.length), [3, 2, 1, 3]);
  const [, second] = workload.session(0).turns;
  assert.deepEqual([second?.delayNs, second?.afterDueNs], [0, 500e6]);
});

Deno.test("createWorkload has users in turn where a plan has them, also with one turn each", () => {
  const workload = createWorkload(SOURCE, openPhase({ users: 2, ratePerSecond: 10 }));
  assert.deepEqual([0, 1, 2, 3].map((index) => workload.arrivalNs(index) / 1e6), [
    0,
    100,
    200,
    300,
  ]);
  assert.equal(workload.session(3).turns.length, 1);
});
