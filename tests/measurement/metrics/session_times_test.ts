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
    ...{ session: 4, status: "completed", calls: 2, plannedCalls: 2, failedCalls: 0, goodCalls: 2 },
    ...{ startNs: 1e9, endNs: 7e9, modelNs: 3.5e9, waitNs: 0.5e9, firstTokenNs: 0 },
    ...{ treeStartNs: 1e9, treeEndNs: 7e9, agents: 1, depth: 0, peakParallel: 1, parallelism: 1 },
    ...{ ownErrorNs: NaN, resets: 0, diverged: NaN, idleCutNs: NaN },
    tokens: {
      ...{ input: 20, output: 10, cachedIdeal: NaN, prompted: 20, cachedServer: NaN },
      ...{ reusable: NaN, reused: NaN },
    },
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

/** A call of a tree in seconds of the run's clock: it waited for the end of another one. */
function call(
  number: number,
  [dueS, startS, endS]: readonly [number, number, number],
  after: number,
  fields: Parameters<typeof recordWith>[0] = {},
): ReturnType<typeof recordWith> {
  return turn(0, number, [dueS, startS, endS], {
    ...{ turns: 4, waitedFor: after < 0 ? -1 : 2 * after, gapClass: number === 0 ? NaN : TOOL },
    ...{ agent: 0, depth: 0, isBackground: 0, isReset: 0, lateNs: 0, sharedTokens: 0 },
    ...fields,
  });
}

/** Tokens of a prompt: all, those of earlier calls of the session, and those from the cache. */
function hits(tokens: number, shared: number, cached: number): Parameters<typeof recordWith>[0] {
  return {
    inputTokens: tokens,
    promptTokens: tokens,
    sharedTokens: shared,
    cachedTokens: cached,
  };
}

Deno.test("sessionTimes ends a session with its last call that is no background one", () => {
  const table = addRecords(recordTable(), [
    call(0, [0, 0, 1], -1),
    call(1, [1, 1, 4], 0, { agent: 1, depth: 1 }),
    call(2, [1, 1, 30], 0, { agent: 2, depth: 2, isBackground: 1 }),
    call(3, [5, 5, 6], 1, { isReset: 1 }),
  ]);
  const [session] = sessionTimes(table);
  assert.ok(session !== undefined);
  const { startNs, endNs, treeEndNs, modelNs, gapNs, path } = session;
  assert.deepEqual([endNs - startNs, treeEndNs, modelNs, gapNs.tool], [6e9, 30e9, 5e9, 1e9]);
  assert.deepEqual(path.map(({ row }) => row), [0, 1, 3]);
  assert.deepEqual([session.agents, session.depth, session.peakParallel, session.resets], [
    ...[3, 2, 2, 1],
  ]);
  // 1 + 3 + 29 + 1 seconds of calls while at least one of them is in flight, for 30 s.
  assert.equal(session.parallelism, 34 / 30);
});

Deno.test("sessionTimes finds its own error by how late calls are, not by the sum", () => {
  const table = addRecords(recordTable(), [
    call(0, [0, 0, 1], -1),
    call(1, [1, 1.5, 3], 0, { lateNs: 0.5e9 }),
    call(2, [1, 1.25, 4], 0, { lateNs: 0.25e9 }),
    call(3, [4, 4.25, 5], 2, { lateNs: 0.5e9 }),
  ]);
  assert.equal(sessionTimes(table)[0]?.ownErrorNs, 0.5e9);
});

Deno.test("sessionTimes counts whole blocks of what earlier calls had", () => {
  const table = addRecords(recordTable(), [
    call(0, [0, 0, 1], -1, { inputTokens: 40 }),
    call(1, [1, 1, 3], 0, { inputTokens: 70, sharedTokens: 40, cachedTokens: 32 }),
    call(2, [3, 3, 4], 1, { inputTokens: 90, sharedTokens: 70, cachedTokens: 48 }),
  ]);
  table.cacheBlockTokens = 16;
  const { reusable, reused, ...tokens } = sessionTimes(table)[0]?.tokens ?? {};
  assert.deepEqual(tokens, {
    ...{ input: 200, output: 15, cachedIdeal: 32 + 64, prompted: 30, cachedServer: 80 },
  });
  // By the usage in replies, each prompt has 10 tokens.
  assert.deepEqual([reusable, reused], [320 / 70 + 640 / 90, 320 / 70 + 640 / 90]);
});

Deno.test("computeResults takes no hits on prompts of other sessions for a session's own", () => {
  const table = addRecords(recordTable(), [
    call(0, [0, 0, 1], -1, hits(40, 0, 32)),
    call(1, [1, 1, 3], 0, hits(64, 32, 48)),
    call(2, [3, 3, 4], 1, hits(96, 64, 48)),
  ]);
  table.cacheBlockTokens = 16;
  const results = computeResults(table, 0n);
  assert.equal(valueOf(results, "session_hit_rate"), 128 / 200 * 100);
  assert.equal(valueOf(results, "session_ideal_hit_rate"), 96 / 200 * 100);
  assert.equal(valueOf(results, "session_hit_share"), (32 + 48) / 96 * 100);
});

Deno.test("sessionTimes keeps sessions that the run cut off apart from failed ones", () => {
  const table = addRecords(recordTable(), [
    turn(0, 0, [0, 0, 1]),
    turn(0, 1, [1, 1, 2], { error: "cut_off" }),
    turn(1, 0, [0, 0, 1], { error: "timeout" }),
  ]);
  const [cut, failed] = sessionTimes(table);
  assert.deepEqual([cut?.status, cut?.failedCalls], ["cut_off", 0]);
  assert.deepEqual([failed?.status, failed?.failedCalls], ["failed", 1]);
});

Deno.test("computeResults pools the cache hits of sessions of which some have no valid request", () => {
  const table = addRecords(recordTable(), [
    ...[call(0, [0, 0, 1], -1, hits(40, 0, 0)), call(1, [1, 1, 3], 0, hits(64, 32, 16))],
    turn(1, 0, [0, 0, 1], { error: "cancelled" }),
    turn(2, 0, [0, 0, 1], { error: "timeout" }),
  ]);
  table.cacheBlockTokens = 16;
  const results = computeResults(table, 0n);
  assert.equal(valueOf(results, "session_hit_rate"), 16 / 104 * 100);
  assert.equal(valueOf(results, "session_ideal_hit_rate"), 32 / 104 * 100);
  assert.equal(valueOf(results, "session_hit_share"), 50);
});

Deno.test("computeResults has the rate of cut-off sessions, and jobs by the time of sessions", () => {
  const table = addRecords(recordTable(), [
    ...[turn(0, 0, [0, 0, 1]), turn(0, 1, [1, 1, 2])],
    ...[turn(1, 0, [0, 0, 1]), turn(1, 1, [1, 1, 3], { error: "cut_off" })],
    ...[turn(2, 0, [0, 0, 1]), turn(2, 1, [1, 1, 4], { error: "cancelled" })],
    turn(3, 0, [0, 0, 1], { error: "timeout" }),
    ...[turn(4, 0, [0, 0, 1]), turn(4, 1, [1, 1, 2])],
  ]);
  const results = computeResults(table, 0n);
  assert.equal(valueOf(results, "session_cut_off_rate"), 40);
  assert.equal(valueOf(results, "session_completed_rate"), 2 / 3 * 100);
  // Two jobs in the 2, 3, 4, 1 and 2 s that the sessions took.
  assert.ok(Math.abs((valueOf(results, "jobs_per_hour_per_tree") ?? NaN) - 600) < 1e-9);
});
