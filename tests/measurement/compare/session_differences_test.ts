import assert from "node:assert/strict";
import type { RunSample } from "../../../src/measurement/compare/run_sample.ts";
import { sessionKey } from "../../../src/measurement/compare/sampled_session.ts";
import { sessionDifferences } from "../../../src/measurement/compare/session_differences.ts";

/** A run of completed sessions of these sources, with their seconds and hit rates. */
function run(
  sessions: readonly (readonly [source: string | undefined, seconds: number, hitPct?: number])[],
): RunSample {
  return {
    ...{ name: "run", startEpochNs: 0n, hasRates: true, durationSeconds: 1 },
    ...{ startSeconds: new Float64Array(), endSeconds: new Float64Array(), columns: new Map() },
    sessions: sessions.map(([source, durationSeconds, hitPct = NaN]) => ({
      key: sessionKey(source, 0, 0),
      ...{ durationSeconds, hitPct },
    })),
  };
}

const SECONDS = [10, 60, 20, 300, 40, 5];

Deno.test("sessionDifferences pairs sessions, whose own differences are larger than the effect", () => {
  const before = run(SECONDS.map((seconds, i) => [`s${i}`, seconds, 80]));
  // In another order, each 5 % longer, within 0.1 s.
  const after = run(
    SECONDS.map((seconds, i) => [`s${i}`, seconds * 1.05 + i / 50, 80 - i % 2] as const)
      .toReversed(),
  );
  const [duration, hits] = sessionDifferences([before], [after], 0.01);
  assert.ok(duration !== undefined && hits !== undefined);
  assert.deepEqual([duration.pairs, hits.pairs], [6, 6]);
  assert.ok(Math.abs(duration.difference - 0.0507) < 0.001, String(duration.difference));
  assert.ok(duration.lower < 0.05 && duration.upper > 0.05);
  assert.equal(hits.difference, -0.5);
  // Student's factor 3.16 of five degrees of freedom for two intervals, standard error 0.224.
  assert.ok(Math.abs(hits.upper - (-0.5 + 3.16 * 0.2236)) < 0.02, String(hits.upper));
});

Deno.test("sessionDifferences finds a constant change by pairs only", () => {
  const before = SECONDS.map((seconds, i) => [`s${i}`, seconds] as const);
  const longer = SECONDS.map((seconds, i) => [`s${i}`, seconds * 1.1 + i / 100] as const);
  const others = SECONDS.map((seconds, i) => [`other${i}`, seconds * 1.1] as const);
  // Of each side in percent of its mean, pairs differ by the same share.
  const [paired] = sessionDifferences([run(before)], [run(longer)], 0);
  const [unpaired] = sessionDifferences([run(before)], [run(others)], 0);
  assert.deepEqual([paired?.pairs, unpaired?.pairs], [6, 0]);
  const width = (one: typeof paired): number => (one?.upper ?? NaN) - (one?.lower ?? NaN);
  assert.ok(width(paired) < width(unpaired) / 5, `${width(paired)} ${width(unpaired)}`);
  assert.equal(unpaired?.verdict, "not significant");
});

Deno.test("sessionDifferences gives no interval of two sessions, and nothing without sessions", () => {
  const two = run([["a", 1], ["b", 2]]);
  const [duration] = sessionDifferences([two], [two], 0.01);
  assert.equal(duration?.remark, "too few completed sessions");
  assert.deepEqual(sessionDifferences([run([])], [two], 0.01), []);
});

Deno.test("sessionDifferences pairs no sessions whose source is unknown", () => {
  const nameless = (factor: number) =>
    run(SECONDS.map((seconds) => [undefined, seconds * factor] as const));
  const [duration] = sessionDifferences([nameless(1)], [nameless(1.1)], 0);
  assert.equal(duration?.pairs, 0);
  assert.ok(Math.abs((duration?.difference ?? NaN) - 0.1) < 1e-9, String(duration?.difference));
});

Deno.test("sessionDifferences has the freedom of the smaller side without pairs", () => {
  const before = run([["a", 9], ["b", 10], ["c", 11]]);
  const after = run(["d", "e", "f", "g", "h"].map((source) => [source, 12] as const));
  const [duration] = sessionDifferences([before], [after], 0);
  assert.ok(duration !== undefined && duration.pairs === 0);
  // Student's factor 4.303 of two degrees of freedom, standard error 0.577 of a mean of 10.
  const half = (duration.upper - duration.lower) / 2;
  assert.ok(Math.abs(half - 4.303 * 0.05774) < 0.005, String(half));
});
