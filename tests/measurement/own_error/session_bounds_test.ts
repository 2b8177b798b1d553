import assert from "node:assert/strict";
import { sessionBounds } from "../../../src/measurement/own_error/session_bounds.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

/** Bounds of the median duration of a session of two parallel calls, in seconds. */
function boundsOf(lateS: readonly [first: number, second: number]) {
  const call = (turn: number, startS: number, endS: number) =>
    recordWith({
      ...{ session: 0, turn, turns: 2, waitedFor: -1, lateNs: (lateS[turn] as number) * 1e9 },
      ...{ intendedNs: startS * 1e9, startNs: startS * 1e9, endNs: endS * 1e9 },
    });
  const { p50 } = sessionBounds(addRecords(recordTable(), [call(0, 1, 2), call(1, 2, 11)]))
    .get("session_duration") ?? {};
  return p50;
}

Deno.test("sessionBounds are those of durations with and without lateness", () => {
  assert.deepEqual(boundsOf([0, 0]), { lower: 10, upper: 10, verdict: "valid" });
  assert.deepEqual(boundsOf([0, 0.25]), { lower: 9.75, upper: 10, verdict: "valid" });
  // A late first call makes a session seem shorter than it is.
  assert.deepEqual(boundsOf([0.25, 0]), { lower: 10, upper: 10.25, verdict: "valid" });
  assert.equal(boundsOf([1, 0])?.verdict, "suspect");
});
