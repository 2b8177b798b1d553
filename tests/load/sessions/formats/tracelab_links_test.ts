import assert from "node:assert/strict";
import { TracelabLinks } from "../../../../src/load/sessions/formats/tracelab_links.ts";

/** Links of sessions with the times of their events and of their calls of an agent tool. */
function linksOf(
  sessions: readonly (readonly [
    session: string,
    user: string,
    times: readonly number[],
    calls?: readonly (readonly [from: number, to: number])[],
  ])[],
): [session: string, parent: string][] {
  const links = new TracelabLinks();
  for (const [session, user, times, calls = []] of sessions) {
    links.add({
      "session_id": session,
      user,
      "timing_events": times.map((timestamp) => ({ timestamp })),
      tools: calls.map(([from, to]) => ({
        "tool_name": "Agent",
        "emitted_at": from,
        "result_at": to,
        "tool_wall_latency_ms": (to - from) * 1000,
      })),
    });
  }
  return [...links.links()].map(([session, { session: parent }]) => [session, parent]);
}

Deno.test("TracelabLinks takes the tightest window of another session of the user", () => {
  assert.deepEqual(
    linksOf([
      ["wide", "u", [0, 100], [[10, 60]]],
      ["tight", "u", [0, 100], [[15, 40]]],
      ["inside", "u", [20, 40]],
      ["longer", "u", [20, 41]],
      ["of another", "v", [20, 30]],
      ["outside", "u", [5, 30]],
    ]),
    [["inside", "tight"], ["longer", "wide"]],
  );
});

Deno.test("TracelabLinks does not link a session to its own window, and links it to an equal one", () => {
  assert.deepEqual(linksOf([["a", "u", [10, 30], [[10, 30]]]]), []);
  assert.deepEqual(
    linksOf([
      ["a", "u", [10, 30], [[10, 30]]],
      ["b", "u", [5, 40], [[10, 30]]],
      ["c", "u", [12, 20]],
    ]),
    [["a", "b"], ["c", "a"]],
  );
});
