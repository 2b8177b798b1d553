import assert from "node:assert/strict";
import { distributionOf } from "../../../src/measurement/metrics/metric_results.ts";
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
    { turn: 0, turns: 3, inputTokens: 10, promptTokens: 10, cachedTokens: 0 },
    { turn: 0, turns: 2, inputTokens: 30, promptTokens: 30, cachedTokens: 0 },
    { turn: 1, turns: 3, inputTokens: 100, promptTokens: 100, cachedTokens: 60 },
    { turn: 1, turns: 2, inputTokens: 200, promptTokens: 200, cachedTokens: 180 },
    { turn: 2, turns: 3, error: "timeout" },
    { turn: 0, turns: 4, error: "http_status" },
    { turn: 0, turns: 5 },
    { turn: 1, turns: 5, error: "cancelled" },
  ]));
  assert.ok(results);
  const { turns, ...counts } = results;
  // Three of the one that failed at once, three of the one that was interrupted.
  assert.deepEqual(counts, { started: 4, completed: 1, failed: 2, unsentTurns: 6 });
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

Deno.test("sessionResults has nothing to say where sessions have one turn, or none is known", () => {
  assert.equal(sessionResults(tableOf([{ turn: 0, turns: 1 }, { turn: 0, turns: 1 }])), undefined);
  assert.equal(sessionResults(tableOf([{}, {}])), undefined, "records of an earlier version");
});

Deno.test("sessionResults tells the first turns of long sessions apart, and counts all", () => {
  const turns = MAX_TURNS + 20;
  const results = sessionResults(
    tableOf(Array.from({ length: turns }, (_, turn) => ({ turn, turns }))),
  );
  assert.equal(results?.turns.length, MAX_TURNS);
  assert.deepEqual([results?.completed, results?.unsentTurns], [1, 0]);
});
