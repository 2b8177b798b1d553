import assert from "node:assert/strict";
import fc from "fast-check";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ConversationColumnsBuilder } from "../../../src/load/dataset/payloads/conversation_columns.ts";
import { createWorkload } from "../../../src/load/workload/create_workload.ts";

const PHASE: PhasePlan = {
  kind: "profiling",
  load: {
    loop: "open",
    ratePerSecond: 0,
    isSchedule: true,
    arrivalPattern: "poisson",
    smoothness: 1,
    concurrency: Infinity,
  },
  requestCount: Infinity,
  durationNs: Infinity,
  graceNs: Infinity,
};

/** @param later times and delays of the later turns that conversations have */
function workload(
  times: readonly number[],
  zeroNs?: number,
  requestCount = Infinity,
  later: readonly (readonly (readonly [timeNs: number, delayNs: number])[])[] = [],
) {
  const builder = new ConversationColumnsBuilder();
  const turn = { messages: undefined, followsHistory: false };
  times.forEach((timestampNs, i) => {
    builder.begin();
    builder.add({ ...turn, delayNs: 0, timestampNs });
    for (const [timestampNs, delayNs] of later[i] ?? []) {
      builder.add({ ...turn, delayNs, timestampNs });
    }
  });
  return createWorkload({
    seed: 1,
    samplingStrategy: "sequential",
    targetCount: 2,
    modelCount: 1,
    profilingEntries: times.length + later.flat().length,
    warmupEntries: 0,
    conversations: builder.finish(Infinity),
    ...(zeroNs === undefined ? {} : { scheduleZeroNs: zeroNs }),
  }, { ...PHASE, requestCount });
}

Deno.test("fixedScheduleWorkload sends every entry once, at its time after the first", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1 }),
    (times) => {
      const made = workload(times);
      assert.equal(made.sessionCount, times.length);
      const indices = Array.from(times, (_, index) => index);
      const entries = indices.map((index) => made.session(index).turns[0].entry);
      assert.deepEqual(entries.toSorted((a, b) => a - b), indices);
      const first = Math.min(...times);
      entries.forEach((entry, index) => {
        assert.equal(made.arrivalNs(index), (times[entry] as number) - first);
        if (index > 0) assert.ok(made.arrivalNs(index) >= made.arrivalNs(index - 1));
      });
    },
  ));
});

Deno.test("fixedScheduleWorkload keeps the file's order of equal times, and begins where it is told", () => {
  const made = workload([7, 5, 7, 5], 3);
  const order = [0, 1, 2, 3].map((index) => made.session(index).turns[0].entry);
  assert.deepEqual(order, [1, 3, 0, 2]);
  assert.deepEqual([0, 1, 2, 3].map((index) => made.arrivalNs(index)), [2, 2, 4, 4]);
  assert.equal(workload([1, 2, 3], undefined, 2).sessionCount, 2);
});

Deno.test("fixedScheduleWorkload sends later turns at their times, or after their delays", () => {
  const made = workload([50, 20], undefined, Infinity, [[[90, 0]], [[NaN, 7], [60, 0]]]);
  const [first, second] = [made.session(0).turns, made.session(1).turns];
  assert.deepEqual(first.map(({ entry, atNs, delayNs }) => [entry, atNs, delayNs]), [
    [2, undefined, 0],
    [3, undefined, 7],
    [4, 40, 0],
  ]);
  assert.deepEqual(second.map(({ entry, atNs, delayNs }) => [entry, atNs, delayNs]), [
    [0, undefined, 0],
    [1, 70, 0],
  ]);
});
