import assert from "node:assert/strict";
import { unsentTurnNotes } from "../../../src/results/collect/unsent_turn_notes.ts";

const NONE_CANCELLED = { cancelledOnPurpose: 0 };

Deno.test("calls of recorded sessions are not sent for the reason of --on-failed-call", () => {
  const sessions = { failed: 2, unsentTurns: 5 };
  const noteOf = (policy: "branch" | "session" | "continue"): string[] =>
    unsentTurnNotes(sessions, NONE_CANCELLED, policy);
  assert.deepEqual(noteOf("branch"), [
    "5 calls were not sent: they depend on a call that fails, as in 2 sessions, or the run ended",
  ]);
  assert.deepEqual(noteOf("session"), [
    "5 calls were not sent: a session ends with a request that fails, as 2 sessions did, and with " +
    "the run",
  ]);
  assert.deepEqual(noteOf("continue"), [
    "5 calls were not sent: the run ended before their sessions",
  ]);
});

Deno.test("nothing is noted if all calls were sent, or no request has several turns", () => {
  assert.deepEqual(unsentTurnNotes({ failed: 1, unsentTurns: 0 }, NONE_CANCELLED, "branch"), []);
  assert.deepEqual(unsentTurnNotes(undefined, NONE_CANCELLED, undefined), []);
  assert.deepEqual(
    unsentTurnNotes({ failed: 0, unsentTurns: 1 }, NONE_CANCELLED, "branch"),
    ["1 call was not sent: the run ended before their sessions"],
  );
});
