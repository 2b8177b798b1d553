import assert from "node:assert/strict";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { distributionOf, valueOf } from "../../../src/measurement/metrics/metric_results.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import {
  cachedShare,
  MAX_TURNS,
  sessionResults,
} from "../../../src/measurement/metrics/session_results.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

function tableOf(
  records: readonly (Partial<RequestRecord> & { readonly error?: ErrorKind })[],
): RecordTable {
  return addRecords(recordTable(), records.map(recordWith));
}

Deno.test("sessionResults says what became of sessions, and of each of their turns", () => {
  const results = sessionResults(tableOf([
    { session: 0, turn: 0, turns: 3, inputTokens: 10, promptTokens: 10, cachedTokens: 0 },
    { session: 1, turn: 0, turns: 2, inputTokens: 30, promptTokens: 30, cachedTokens: 0 },
    { session: 0, turn: 1, turns: 3, inputTokens: 100, promptTokens: 100, cachedTokens: 60 },
    { session: 1, turn: 1, turns: 2, inputTokens: 200, promptTokens: 200, cachedTokens: 180 },
    { session: 0, turn: 2, turns: 3, error: "timeout" },
    { session: 2, turn: 0, turns: 4, error: "http_status" },
    { session: 3, turn: 0, turns: 5 },
    { session: 3, turn: 1, turns: 5, error: "cancelled" },
  ]));
  assert.ok(results);
  const { turns, started, completed, failed, cutOff, unsentTurns } = results;
  // Three of the one that failed at once, three of the one that was interrupted.
  assert.deepEqual([started, completed, failed, cutOff, unsentTurns], [4, 1, 2, 1, 6]);
  assert.deepEqual(turns.map(({ turn, succeeded, failed }) => [turn, succeeded, failed]), [
    [1, 3, 1],
    [2, 2, 0],
    [3, 0, 1],
  ]);
  const [first, second, third] = turns;
  assert.ok(first && second && third);
  assert.equal(distributionOf(second.results, "input_sequence_length")?.avg, 150);
  assert.equal(distributionOf(second.results, "time_to_first_token")?.p50, 80);
  assert.equal(cachedShare(first), 0);
  assert.equal(cachedShare(second), 80);
  assert.equal(third.results.size, 0);
});

Deno.test("sessionResults counts requests of dead threads as failed, not those that were cancelled", () => {
  const results = sessionResults(tableOf([
    ...[{ session: 0, turn: 0, turns: 2 }, { session: 0, turn: 1, turns: 2 }],
    ...[{ error: "worker_lost" as const }, { error: "cancelled" as const }],
  ]));
  assert.deepEqual([results?.started, results?.completed, results?.failed], [1, 1, 1]);
});

Deno.test("sessionResults has nothing to say where sessions have one turn, or none is known", () => {
  assert.equal(sessionResults(tableOf([{ turn: 0, turns: 1 }, { turn: 0, turns: 1 }])), undefined);
  assert.equal(sessionResults(tableOf([{}, {}])), undefined, "records of an earlier version");
});

Deno.test("sessionResults tells the first turns of long sessions apart, and counts all", () => {
  const turns = MAX_TURNS + 20;
  const results = sessionResults(
    tableOf(Array.from({ length: turns }, (_, turn) => ({ session: 0, turn, turns }))),
  );
  assert.equal(results?.turns.length, MAX_TURNS);
  assert.deepEqual([results?.completed, results?.unsentTurns], [1, 0]);
});

/** Calls of two sessions with subagents: the second one was entered in its middle. */
function treesTable(): RecordTable {
  const call = (session: number, turn: number, fields: Partial<RequestRecord> = {}) => ({
    ...{ session, turn, turns: 2, waitedFor: turn === 0 ? -1 : 0, isBackground: 0, lateNs: 0 },
    ...{ agent: turn, depth: turn, isReset: 0, sharedTokens: turn === 0 ? 0 : 32 },
    ...{ inputTokens: 64, promptTokens: 64, cachedTokens: turn === 0 ? 0 : 16 },
    ...{ startNs: turn * 1e9, intendedNs: turn * 1e9, endNs: (turn + 1) * 1e9 },
    ...fields,
  });
  const table = tableOf([call(0, 0), call(0, 1), call(1, 0), call(1, 1)]);
  const agents = [
    { name: "main", kind: "main", calls: 1 },
    { name: "a1", kind: "Explore", calls: 1 },
  ];
  for (const session of [0, 1]) {
    table.sessionBook.add({
      ...{ session, sourceId: `s${session}`, pass: 0, startRatio: session / 2, primed: session },
      ...{ calls: ["c0", "c1"], agents },
    });
  }
  return table;
}

Deno.test("sessionResults divides requests by depth and by kind of agent", () => {
  const results = sessionResults(treesTable());
  assert.ok(results);
  const { depths, kinds, enteredInMiddle, whole } = results;
  assert.deepEqual(depths.map(({ depth, succeeded }) => [depth, succeeded]), [[0, 2], [1, 2]]);
  assert.deepEqual(kinds.map(({ kind, succeeded }) => [kind, succeeded]), [
    ["main", 2],
    ["Explore", 2],
  ]);
  assert.deepEqual(depths.map(cachedShare), [0, 25]);
  assert.deepEqual([enteredInMiddle, whole], [1, 1]);
});

Deno.test("computeResults takes durations of whole sessions, and hits of all", () => {
  const results = computeResults(treesTable(), 0n);
  assert.equal(distributionOf(results, "session_duration")?.count, 1);
  assert.equal(valueOf(results, "session_hit_rate"), 12.5);
  assert.equal(valueOf(results, "session_ideal_hit_rate"), 25);
  assert.equal(valueOf(results, "session_hit_share"), 50);
  assert.equal(distributionOf(results, "session_tokens_new")?.avg, 96);
});
