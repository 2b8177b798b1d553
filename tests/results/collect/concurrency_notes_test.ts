import assert from "node:assert/strict";
import type { SessionTimes } from "../../../src/measurement/metrics/session_times.ts";
import { concurrencyNotes } from "../../../src/results/collect/concurrency_notes.ts";

/** The notes of a closed loop with these sessions, each from a start to an end. */
function notesOf(
  planned: number | undefined,
  spans: readonly (readonly [startNs: number, endNs: number])[],
  enteredInMiddle = 0,
): string[] {
  return concurrencyNotes({
    load: { meanInFlight: 0.1, targetInFlight: planned },
    requests: { succeeded: 9 },
    sessions: {
      ...{ enteredInMiddle, started: spans.length },
      times: spans.map(([treeStartNs, treeEndNs]) => ({ treeStartNs, treeEndNs }) as SessionTimes),
    },
  });
}

const NOT_REACHED = "sessions were in progress at the same time: the concurrency was not reached";

Deno.test("a closed loop of sessions is compared by the peak of sessions in progress", () => {
  // Few requests in flight are no fault: users and tools work between two of them.
  assert.deepEqual(notesOf(2, [[0, 10], [5, 20], [10, 30]]), []);
  assert.deepEqual(notesOf(3, [[0, 10], [5, 20], [10, 30]]), [`At most 2 of 3 ${NOT_REACHED}`]);
  assert.deepEqual(notesOf(8, [[20, 40], [0, 50], [45, 60]]), [
    `At most 2 of 8 ${NOT_REACHED}, the run had only 3 sessions`,
  ]);
  assert.deepEqual(notesOf(undefined, [[0, 10]]), [], "an open loop plans none");
});

Deno.test("sessions that are entered in their middle may hold slots before their first request", () => {
  assert.deepEqual(notesOf(2, [[0, 10], [10, 30]], 2), []);
  assert.deepEqual(notesOf(2, [[0, 10]], 1), [
    `At most 1 of 2 ${NOT_REACHED}, the run had only 1 session`,
  ]);
});

Deno.test("a closed loop of single requests is compared by requests in flight on average", () => {
  const facts = { requests: { succeeded: 9 }, sessions: undefined };
  const of = (meanInFlight: number) =>
    concurrencyNotes({ ...facts, load: { meanInFlight, targetInFlight: 8 } });
  assert.deepEqual(of(7.7), []);
  assert.deepEqual(of(2.514), [
    "Only 2.51 of 8 requests were in flight on average: the concurrency was not reached",
  ]);
});
