import assert from "node:assert/strict";
import { commonStalls, StallDetector } from "../../../src/core/thread/stall_detector.ts";

const MS = 1e6;

/** A detector whose ticks came at these times, in milliseconds; they were to come every 100. */
function stallsOf(ticks: readonly number[], endMs = ticks.at(-1) ?? 0): number[][] {
  const detector = new StallDetector(100);
  detector.begin(0);
  for (const tick of ticks) detector.tick(tick * MS);
  return detector.end(endMs * MS).map(({ startNs, endNs }) => [startNs / MS, endNs / MS]);
}

Deno.test("StallDetector finds ticks that come a quarter of a second too late", () => {
  assert.deepEqual(stallsOf([100, 200, 305, 410]), []);
  assert.deepEqual(stallsOf([100, 449]), []);
  assert.deepEqual(stallsOf([100, 450, 550]), [[200, 450]]);
  assert.deepEqual(stallsOf([100, 5200, 5210, 5310, 6000]), [[200, 5200], [5410, 6000]]);
});

Deno.test("StallDetector finds a stall that lasts until the end", () => {
  assert.deepEqual(stallsOf([100, 200], 900), [[300, 900]]);
  assert.deepEqual(stallsOf([100, 200], 400), []);
});

Deno.test("StallDetector begins anew, and knows nothing before that", () => {
  const detector = new StallDetector(100);
  assert.equal(detector.tick(9000 * MS), false);
  assert.equal(detector.tick(9900 * MS), true);
  detector.begin(20_000 * MS);
  assert.equal(detector.tick(20_100 * MS), false);
  assert.deepEqual(detector.end(20_200 * MS), []);
});

Deno.test("commonStalls gives the stretches in which all threads stood still", () => {
  const stall = (startMs: number, endMs: number) => ({ startNs: startMs * MS, endNs: endMs * MS });
  const main = [stall(1000, 6000), stall(8000, 9000)];
  assert.deepEqual(commonStalls([main]), main);
  assert.deepEqual(
    commonStalls([main, [stall(1050, 6010), stall(8100, 8500)], [stall(900, 5990)]]),
    [stall(1050, 5990)],
  );
  assert.deepEqual(commonStalls([main, []]), []);
  assert.deepEqual(commonStalls([main, [stall(5800, 8200)]]), [], "too short to matter");
  assert.deepEqual(commonStalls([]), []);
});
