import assert from "node:assert/strict";
import type { PlayedCall } from "../../../src/load/dataset/payloads/graph_columns.ts";
import { CallProgress } from "../../../src/load/worker/call_progress.ts";

/** A call that waits for the end of others, with a gap in milliseconds, or for nothing. */
function call(gapMs: number, ...after: readonly number[]): PlayedCall {
  return {
    edges: after.map((from) => ({ from, on: "end", kind: "sequence", gapMs })),
    offsetMs: gapMs,
    notBeforeMs: undefined,
    isVirtual: false,
    gapClass: undefined,
    outputTokens: 1,
    recordedMs: 0,
  } as unknown as PlayedCall;
}

/** Numbers of the calls that are due, and when, in milliseconds. */
function dueOf(progress: CallProgress): [number, number][] {
  const due: [number, number][] = [];
  while (progress.hasDue) {
    const number = progress.first as number;
    if (!progress.isGone(number)) due.push([number, progress.firstNs / 1e6]);
    progress.takeFirst();
  }
  return due;
}

Deno.test("CallProgress lets calls be due after the last that they wait for, and moves them", () => {
  const progress = new CallProgress([call(0), call(5), call(20, 0, 1)]);
  progress.begin(0);
  for (const sent of [0, 1]) {
    progress.takeFirst();
    progress.start(sent);
  }
  progress.end(0);
  progress.meet(0, "end", 10e6);
  assert.equal(progress.hasDue, false);
  progress.end(1);
  progress.meet(1, "end", 40e6);
  progress.move(15e6);
  assert.deepEqual(dueOf(progress), [[2, 45]]);
});

Deno.test("CallProgress sends no call that was left out, also if what is due moves", () => {
  for (const policy of ["branch", "session"] as const) {
    // Both later calls are due when another call fails, on which one of them depends.
    const progress = new CallProgress([call(0), call(30, 0), call(0), call(90)]);
    progress.begin(0);
    progress.takeFirst();
    progress.end(0);
    progress.meet(0, "end", 10e6);
    progress.fail(0, policy, 10e6);
    progress.move(5e6);
    const left = policy === "branch" ? [[2, -5], [3, 85]] : [];
    assert.deepEqual(dueOf(progress), left, policy);
  }
});

Deno.test("CallProgress.punctualNs leaves out lateness that other calls hide", () => {
  // Call 2 waits for both: the first was 4 ms late, the second ended 10 ms after it.
  const progress = new CallProgress([call(0), call(0), call(5, 0, 1), call(5, 0)]);
  progress.begin(0);
  for (const sent of [0, 1]) {
    progress.takeFirst();
    progress.start(sent);
    progress.end(sent);
  }
  progress.meet(0, "end", 24e6, 4e6);
  assert.equal(progress.punctualNs(3), 25e6);
  progress.meet(1, "end", 34e6, 1e6);
  assert.equal(progress.punctualNs(2), 38e6);
  // The edge that was met last without lateness need not be the one that was met last.
  const other = new CallProgress([call(0), call(0), call(5, 0, 1)]);
  other.begin(0);
  other.meet(0, "end", 24e6, 0);
  other.meet(1, "end", 26e6, 9e6);
  assert.equal(other.punctualNs(2), 29e6);
});

Deno.test("CallProgress.waitedFor is the event with the latest due time, the first of several", () => {
  const progress = new CallProgress([call(0), call(0), call(5, 0, 1)]);
  progress.begin(0);
  progress.meet(1, "end", 10e6);
  progress.meet(0, "end", 10e6);
  assert.deepEqual([progress.waitedFor(2), progress.waitedFor(0)], [2, -1]);
  const other = new CallProgress([call(0), call(0), call(5, 0, 1)]);
  other.begin(0);
  other.meet(1, "end", 10e6);
  other.meet(0, "end", 11e6);
  assert.equal(other.waitedFor(2), 0);
});
