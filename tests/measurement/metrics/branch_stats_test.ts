import assert from "node:assert/strict";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import { branchStats, theoreticalCacheHit } from "../../../src/measurement/metrics/branch_stats.ts";
import type { SessionFacts } from "../../../src/measurement/metrics/session_book.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const AGENTS = [
  { name: "main", kind: "main", calls: 2 },
  { name: "a", kind: "subagent", calls: 1 },
  { name: "b", kind: "subagent", calls: 2 },
];

/** Facts of a session: main calls 0 and 4, agent a with call 1, b with 2 and 3; 4 waits for both. */
const FACTS: SessionFacts = {
  ...{ session: 0, sourceId: "s", pass: 0, startRatio: 0, primed: 0 },
  ...{ calls: ["0", "1", "2", "3", "4"], agents: AGENTS, delayed: [2] },
  gates: [{ call: 4, before: 0, from: [1, 3], agents: [1, 2] }],
};

/** Calls of 1 ns that follow each other. */
function tableOf(
  calls: readonly (readonly [number: number, agent: number, error?: ErrorKind])[],
  facts: SessionFacts = FACTS,
  turns = 5,
): RecordTable {
  const table = addRecords(
    recordTable(),
    calls.map(([turn, agent, error]) =>
      recordWith({
        ...{ session: 0, turn, turns, agent, depth: agent > 0 ? 1 : 0, isBackground: 0 },
        ...{ inputTokens: 100, sharedTokens: turn === 0 ? 0 : 50, startNs: turn, endNs: turn + 1 },
        ...(error === undefined ? {} : { error }),
      })
    ),
  );
  table.sessionBook.add(facts);
  return table;
}

Deno.test("branchStats counts the agents of a session that was completed", () => {
  const stats = branchStats(tableOf([[0, 0], [1, 1], [2, 2], [3, 2], [4, 0]]));
  assert.deepEqual(stats, {
    ...{ childrenSpawned: 2, childrenCompleted: 2, childrenErrored: 0, childrenTruncated: 0 },
    ...{ childrenDelayed: 1, parentsSuspended: 1, parentsResumed: 1 },
    ...{ parentsFailedDueToChildError: 0, joinsSuppressed: 0 },
    ...{ graphsAdmitted: 0, graphsCompletedToEnd: 0 },
  });
});

Deno.test("branchStats distinguishes failed agents from those that were cut off", () => {
  const failed = branchStats(tableOf([[0, 0], [1, 1, "timeout"], [2, 2]]));
  assert.deepEqual([failed?.childrenErrored, failed?.childrenTruncated], [1, 1]);
  assert.deepEqual([failed?.parentsFailedDueToChildError, failed?.joinsSuppressed], [1, 0]);
  const cut = branchStats(tableOf([[0, 0], [1, 1], [2, 2]]));
  assert.deepEqual([cut?.childrenCompleted, cut?.childrenTruncated], [1, 1]);
  assert.deepEqual([cut?.parentsSuspended, cut?.joinsSuppressed], [1, 1]);
  assert.equal(branchStats(tableOf([[0, 0], [1, 1]]))?.childrenDelayed, 0);
});

Deno.test("branchStats counts agents of which an earlier request failed as the reason", () => {
  const failed = branchStats(tableOf([[0, 0], [1, 1], [2, 2, "timeout"]]));
  assert.deepEqual([failed?.parentsFailedDueToChildError, failed?.joinsSuppressed], [1, 0]);
});

Deno.test("branchStats counts no wait of a request that comes after the agents have ended", () => {
  const gates = [{ call: 4, before: 3, from: [1], agents: [1] }];
  const stats = branchStats(tableOf([[0, 0], [1, 1], [2, 0], [3, 0], [4, 0]], { ...FACTS, gates }));
  assert.deepEqual([stats?.parentsSuspended, stats?.parentsResumed], [0, 1]);
  const early = branchStats(tableOf([[0, 0], [1, 1], [2, 0, "timeout"]], {
    ...{ ...FACTS, gates: [{ call: 4, before: 2, from: [3], agents: [2] }] },
  }));
  assert.equal(early?.parentsSuspended, 0, "the agent itself failed before it would have waited");
});

Deno.test("branchStats counts sessions whose first agent only starts others", () => {
  const facts: SessionFacts = {
    ...FACTS,
    agents: [{ name: "main", kind: "main", calls: 0 }, ...AGENTS.slice(1)],
    gates: [
      { call: 0, from: [1], agents: [1], isSilent: true },
      { call: 4, before: 0, from: [2, 3], agents: [2], isSilent: true },
    ],
  };
  const rounds = [[1, 1], [2, 2], [3, 2]] as const;
  const whole = branchStats(tableOf(rounds, facts, 3));
  assert.deepEqual([whole?.graphsAdmitted, whole?.graphsCompletedToEnd], [1, 1]);
  assert.deepEqual([whole?.parentsSuspended, whole?.parentsResumed], [2, 2]);
  const part = branchStats(tableOf(rounds.slice(0, 1), facts, 3));
  assert.deepEqual([part?.graphsAdmitted, part?.graphsCompletedToEnd], [1, 0]);
  assert.deepEqual([part?.parentsResumed, part?.joinsSuppressed], [1, 1]);
});

Deno.test("branchStats counts agents whose request the end of the run cut off as truncated", () => {
  for (const error of ["cut_off", "cancelled"] as const) {
    const cut = branchStats(tableOf([[0, 0], [1, 1, error], [2, 2], [3, 2]]));
    assert.deepEqual([cut?.childrenErrored, cut?.childrenTruncated], [0, 1]);
    assert.deepEqual([cut?.parentsFailedDueToChildError, cut?.joinsSuppressed], [0, 1]);
  }
});

Deno.test("theoreticalCacheHit divides whole blocks", () => {
  const table = tableOf([[0, 0], [1, 1], [2, 2]]);
  table.cacheBlockTokens = 32;
  // Of three blocks each, one of the second and the third prompt.
  assert.equal(theoreticalCacheHit(table), 2 / 9 * 100);
});
