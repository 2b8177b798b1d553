import assert from "node:assert/strict";
import fc from "fast-check";
import {
  longestWatchedGapNs,
  Unwatched,
  unwatchedTimes,
} from "../../../src/measurement/own_error/unwatched.ts";

const MS = 1e6;
/** When canaries were read, often, seldom or not at all, with long pauses between. */
const TIME_MS = fc.tuple(
  fc.constantFrom(0, 12_000, 13_000, 40_000),
  fc.integer({ min: 0, max: 900 }),
);
const READ_NS = fc.oneof(
  fc.array(TIME_MS, { maxLength: 40 }),
  fc.array(TIME_MS, { minLength: 150, maxLength: 200 }),
).map((times) => Float64Array.from(times, ([clump, ms]) => (clump + ms) * MS).sort());

function delaysOf(readNs: Float64Array) {
  return { readNs, delayNs: new Float64Array(readNs.length) };
}

Deno.test("a time is unwatched if no canary of its thread was read about it", () => {
  let inner = 0;
  fc.assert(
    fc.property(READ_NS, fc.integer({ min: -5000, max: 50_000 }), (readNs, ms) => {
      const delays = delaysOf(readNs);
      const stampNs = ms * MS;
      const nearestNs = readNs.reduce(
        (least, read) => Math.min(least, Math.abs(read - stampNs)),
        Infinity,
      );
      const isUnwatched = nearestNs > longestWatchedGapNs(delays);
      assert.equal(new Unwatched(new Map([[3, delays]])).has(3, stampNs), isUnwatched);
      const times = unwatchedTimes(delays);
      assert.ok(times.every(({ startNs, endNs }) => startNs < endNs));
      const within = times.filter(({ startNs, endNs }) => startNs < stampNs && stampNs < endNs);
      assert.equal(within.length, isUnwatched ? 1 : 0);
      inner += isUnwatched && (readNs[0] ?? Infinity) < stampNs && stampNs < (readNs.at(-1) ?? 0)
        ? 1
        : 0;
    }),
    { numRuns: 300 },
  );
  assert.ok(inner > 0, "pauses between canaries were among them");
});

Deno.test("a pause is watched for three seconds from its ends, or thirty of the canaries' spacings", () => {
  const pausesMs = (...readMs: number[]) =>
    unwatchedTimes(delaysOf(Float64Array.from(readMs, (ms) => ms * MS)))
      .slice(1, -1).map(({ startNs, endNs }) => [startNs / MS, endNs / MS]);
  const often = (fromMs: number) => Array.from({ length: 20 }, (_, at) => fromMs + at * 50);
  assert.deepEqual(pausesMs(...often(0), ...often(600_000)), [[3950, 597_000]]);
  assert.deepEqual(pausesMs(...often(0), ...often(6900)), []);
  const seldom = (fromMs: number) => Array.from({ length: 20 }, (_, at) => fromMs + at * 2000);
  assert.deepEqual(pausesMs(...seldom(0), ...seldom(600_000)), [[98_000, 540_000]]);
  const clumps = (fromMs: number) =>
    [0, 3000, 6000].flatMap((ms) => often(fromMs + ms).slice(0, 5));
  assert.deepEqual(pausesMs(...clumps(0), ...clumps(600_000)), [[9200, 597_000]]);
});

Deno.test("a thread without canaries is watched as long as the others' are few", () => {
  const after = (ms: number) =>
    new Unwatched(new Map([[0, delaysOf(Float64Array.of(0, ms * MS))]])).has(1, ms * MS);
  assert.equal(after(100), false);
  assert.equal(after(60_000), true);
  assert.equal(new Unwatched(new Map()).has(0, 0), false);
});
