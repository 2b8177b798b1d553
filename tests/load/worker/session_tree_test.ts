import assert from "node:assert/strict";
import type { PlayedCall } from "../../../src/load/dataset/payloads/graph_columns.ts";
import { withoutGaps } from "../../../src/load/worker/session_tree.ts";
import type { Session, Turn } from "../../../src/load/workload/workload.ts";

const turn: Turn = { entry: 0, target: 0, model: 0, delayNs: 0 };

Deno.test("withoutGaps keeps what calls wait for, and no time", () => {
  const call: PlayedCall = {
    ...{ offsetMs: 30, notBeforeMs: 40, isVirtual: false, gapClass: "tool", outputTokens: 5 },
    ...{ agent: "main", base: undefined, putsReply: false, recordedMs: 30 },
    edges: [{ from: 0, on: "end", kind: "sequence", gapMs: 20 }],
  };
  const session: Session = { index: 3, turns: [turn], calls: [call] };
  assert.deepEqual(withoutGaps(session), {
    ...session,
    calls: [{
      ...call,
      ...{ offsetMs: 0, notBeforeMs: undefined },
      edges: [{ from: 0, on: "end", kind: "sequence", gapMs: 0 }],
    }],
  });
  const list: Session = { index: 3, turns: [turn] };
  assert.equal(withoutGaps(list), list);
});
