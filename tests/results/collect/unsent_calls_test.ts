import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { type CallFacts, graphColumns } from "../../../src/load/dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../../../src/load/dataset/payloads/payload_table.ts";
import { UnsentCalls } from "../../../src/results/collect/unsent_calls.ts";
import { recordWith } from "../../support/records.ts";

/** Four calls after each other, recorded at 0, 100, 200 and 300 ms. */
const CALLS = [0, 1, 2, 3].map((call) => ({
  ...{ id: `c${call}`, agent: "main", agentKind: "main", depth: 0, recordedMs: call * 100 },
  edges: call === 0 ? [] : [{ from: call - 1, on: "end", kind: "sequence", gapMs: 0 }],
} as unknown as CallFacts));
const PAYLOADS = {
  locate: (entry: number) => ({
    entry,
    table: {
      data: {
        conversations: { graph: graphColumns(CALLS), conversationStart: Int32Array.of(0, 4) },
      },
      sessionIdOf: () => "source",
    },
  }),
} as unknown as PayloadSource;

/** Calls that are left unsent if call 2 of a session that is entered at a ratio fails. */
function unsent(ratio: number, sent: readonly number[], onFailedCall: string): number[] {
  const agents = { startRatios: { min: ratio, max: ratio }, onFailedCall };
  const plan = { seed: 1, dataset: { source: "file", agents } } as unknown as RunPlan;
  const calls = new UnsentCalls(PAYLOADS, plan);
  const turns = 4 - Math.ceil(ratio * 3);
  for (const turn of sent) {
    const ended = { session: 5, turn, entry: turn, turns };
    calls.add(recordWith(turn === 2 ? { ...ended, error: "timeout" } : ended));
  }
  return [...calls.calls()].map(({ turn, failure }) => {
    assert.equal(failure.turn, 2);
    return turn;
  });
}

Deno.test("UnsentCalls leaves out calls before the position at which a session was entered", () => {
  for (const policy of ["branch", "session"]) {
    assert.deepEqual(unsent(0, [0, 1, 2], policy), [3], policy);
    assert.deepEqual(unsent(0.6, [2], policy), [3], policy);
  }
  assert.deepEqual(unsent(0, [0, 1, 2], "continue"), []);
  assert.deepEqual(unsent(0, [0, 1, 2, 3], "session"), []);
});
