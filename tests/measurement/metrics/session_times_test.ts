import assert from "node:assert/strict";
import fc from "fast-check";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { distributionOf, valueOf } from "../../../src/measurement/metrics/metric_results.ts";
import { sessionTimes } from "../../../src/measurement/metrics/session_times.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const [USER, TOOL] = [0, 1];

/** A turn from one second to another, of the run's clock. */
function turn(
  session: number,
  place: number,
  [dueS, startS, endS]: readonly [number, number, number],
  fields: Parameters<typeof recordWith>[0] = {},
): ReturnType<typeof recordWith> {
  return recordWith({
    ...{ session, turn: place, turns: 2, gapClass: place === 0 ? NaN : USER },
    ...{ intendedNs: dueS * 1e9, startNs: startS * 1e9, endNs: endS * 1e9 },
    ...fields,
  });
}

Deno.test("sessionTimes divides the duration of a session among calls, pauses and waits", () => {
  const table = addRecords(recordTable(), [
    turn(4, 0, [0, 1, 3]),
    turn(9, 0, [0, 1, 2]),
    turn(4, 1, [5, 5.5, 7], { gapClass: TOOL }),
    turn(9, 1, [4, 4, 5], { error: "timeout" }),
    turn(12, 0, [6, 6, 8]),
  ]);
  const [first, second, third] = sessionTimes(table);
  assert.deepEqual(first && { ...first, firstTokenNs: 0 }, {
    ...{ session: 4, status: "completed", calls: 2, plannedCalls: 2, failedCalls: 0 },
    ...{ startNs: 1e9, endNs: 7e9, modelNs: 3.5e9, waitNs: 0.5e9, firstTokenNs: 0 },
    gapNs: { user: 0, tool: 2e9, agent: 0 },
    rows: [0, 2],
    path: [{ row: 0, untilNs: 3e9 }, { row: 2, untilNs: 7e9 }],
  });
  assert.deepEqual([second?.status, second?.failedCalls], ["failed", 1]);
  assert.deepEqual([third?.status, third?.calls, third?.plannedCalls], ["cut_off", 1, 2]);
});

Deno.test("computeResults has the metrics of completed sessions", () => {
  const table = addRecords(recordTable(), [
    turn(0, 0, [1, 1, 2]),
    turn(0, 1, [3, 3, 4], { gapClass: TOOL }),
    turn(1, 0, [1, 1, 2]),
    turn(1, 1, [2, 2, 11], { error: "timeout" }),
    turn(2, 0, [6, 6, 8]),
  ]);
  const results = computeResults(table, 0n);
  assert.equal(distributionOf(results, "session_duration")?.avg, 3);
  assert.equal(distributionOf(results, "session_duration")?.count, 1);
  assert.equal(distributionOf(results, "session_tool_time")?.avg, 1);
  assert.equal(valueOf(results, "session_completed_rate"), 50);
  assert.equal(valueOf(results, "sessions_per_second"), 1 / 10);
  assert.equal(valueOf(results, "jobs_per_hour"), 360);
  const single = computeResults(addRecords(recordTable(), [recordWith({ turn: 0, turns: 1 })]), 0n);
  assert.equal(single.has("session_completed_rate"), false);
});

Deno.test("sessionTimes: the parts of any session add up to its duration", () => {
  const gap = fc.record({
    pauseNs: fc.integer({ min: 0, max: 1e10 }),
    waitNs: fc.integer({ min: 0, max: 1e9 }),
    replyNs: fc.integer({ min: 1, max: 1e11 }),
    gapClass: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(fc.property(fc.array(gap, { minLength: 2, maxLength: 20 }), (gaps) => {
    let nowNs = 5e9;
    const records = gaps.map(({ pauseNs, waitNs, replyNs, gapClass }, place) => {
      const intendedNs = nowNs + pauseNs;
      const startNs = intendedNs + waitNs;
      nowNs = startNs + replyNs;
      return recordWith({
        ...{ session: 1, turn: place, turns: gaps.length, endNs: nowNs, startNs, intendedNs },
        gapClass: place === 0 ? NaN : gapClass,
      });
    });
    const [times] = sessionTimes(addRecords(recordTable(), records));
    assert.ok(times);
    const { startNs, endNs, modelNs, waitNs, gapNs } = times;
    assert.equal(modelNs + waitNs + gapNs.user + gapNs.tool + gapNs.agent, endNs - startNs);
  }));
});
