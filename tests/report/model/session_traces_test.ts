import assert from "node:assert/strict";
import { MAX_SHOWN_SESSIONS, sessionTraces } from "../../../src/report/model/session_traces.ts";
import { madeSessions } from "../../support/made_sessions.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";
import { finishedRun, type MadeRequest } from "../../support/run_views.ts";

/** A call of an agent; its event is the number of a call, and whether its start was waited for. */
function call(
  turn: number,
  agent: number,
  [dueS, startS, endS]: readonly [number, number, number],
  waitedFor: number,
): ReturnType<typeof recordWith> {
  return recordWith({
    ...{ session: 3, turn, turns: 4, agent, depth: agent === 0 ? 0 : 1, waitedFor, gapClass: 1 },
    ...{ intendedNs: dueS * 1e9, startNs: startS * 1e9, endNs: endS * 1e9 },
    chunkNs: Float64Array.of(startS * 1e9 + 5e8, endS * 1e9),
    isReset: turn === 2 ? 1 : 0,
  });
}

Deno.test("sessionTraces has the agents of a session, and where the time of its path went", () => {
  const table = addRecords(recordTable(), [
    call(0, 0, [10, 10, 12], -1),
    call(1, 1, [11, 11, 14], 1),
    call(2, 1, [15, 16, 20], 2),
    call(3, 0, [20, 20, 21], 4),
  ]);
  table.sessionBook.add({
    ...{ session: 3, sourceId: "trip", pass: 0, startRatio: 0, primed: 0 },
    agents: [
      { name: "main", kind: "main", calls: 1 },
      { name: "main>find", kind: "search", calls: 1 },
    ],
  });
  const { count, median, shown, slowest } = sessionTraces(table) ?? {};
  assert.equal(count, 1);
  assert.equal(slowest, undefined);
  assert.deepEqual(median?.agents, [{ name: "main", depth: 0 }, { name: "find", depth: 1 }]);
  assert.equal(median?.session.name, "trip (3)");
  assert.deepEqual(
    median?.calls.map((
      { agent, turn, dueNs, startNs, endNs, isReset },
    ) => [agent, turn, dueNs / 1e9, startNs / 1e9, endNs / 1e9, isReset]),
    [
      [0, 1, 0, 0, 2, false],
      [1, 1, 1, 1, 4, false],
      [1, 2, 5, 6, 10, true],
      [0, 2, 10, 10, 11, false],
    ],
  );
  assert.deepEqual(median?.calls.map(({ waitedFor }) => waitedFor?.atNs), [
    undefined,
    0,
    4e9,
    10e9,
  ]);
  // The second call waited for the start of the first: no time of the first is on the path.
  assert.deepEqual(median?.calls.map(({ criticalUntilNs }) => criticalUntilNs), [
    0,
    4e9,
    10e9,
    11e9,
  ]);
  const parts = shown?.[0]?.parts;
  assert.deepEqual([parts?.waiting, parts?.prefill, parts?.decode], [1e9, 1.5e9, 6.5e9]);
  assert.equal(parts?.tool, 2e9);
  assert.equal(Object.values(parts ?? {}).reduce((sum, ns) => sum + ns, 0), 11e9);
});

Deno.test("sessionTraces divides the time to first token by the queue that replies report", () => {
  const queued = (turn: number, startS: number, serverQueueNs: number) =>
    recordWith({
      ...{ session: 3, turn, turns: 2, serverQueueNs },
      ...{ intendedNs: startS * 1e9, startNs: startS * 1e9, endNs: (startS + 1) * 1e9 },
      chunkNs: Float64Array.of((startS + 0.4) * 1e9, (startS + 1) * 1e9),
    });
  // A server's queue that is longer than the time to first token is not longer than that here.
  const table = addRecords(recordTable(), [queued(0, 0, 1e8), queued(1, 1, 9e8)]);
  const parts = sessionTraces(table)?.shown[0]?.parts;
  assert.deepEqual(
    [parts?.queued, parts?.prefill, parts?.decode].map((ns) => Math.round((ns ?? NaN) / 1e6)),
    [500, 300, 1200],
  );
});

Deno.test("sessionTraces shows the slowest and the fastest of many sessions, and the median", async () => {
  const { records } = await finishedRun(madeSessions(100, 3));
  const traces = sessionTraces(records.profiling);
  const durations = traces?.shown.map(({ times }) => times.endNs - times.startNs) ?? [];
  assert.equal(durations.length, MAX_SHOWN_SESSIONS);
  assert.deepEqual(durations, durations.toSorted((a, b) => b - a));
  assert.equal(traces?.count, 100);
  assert.deepEqual(traces?.slowest?.session, traces?.shown[0]);
});

Deno.test("sessionTraces is undefined for requests that are no sessions", async () => {
  const single: MadeRequest[] = [{ session: 0 }, { session: 1 }];
  const { records } = await finishedRun(single);
  assert.equal(sessionTraces(records.profiling), undefined);
});
