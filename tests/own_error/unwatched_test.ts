import assert from "node:assert/strict";
import fc from "fast-check";
import { longestWatchedGapNs, Unwatched, unwatchedTimes } from "../../src/own_error/unwatched.ts";

const MS = 1e6;
/** When canaries were read, often, seldom or not at all. */
const READ_NS = fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 40 })
  .map((times) => Float64Array.from(times, (ms) => ms * MS).sort());

function delaysOf(readNs: Float64Array) {
  return { readNs, delayNs: new Float64Array(readNs.length) };
}

Deno.test("a time is unwatched if no canary of its thread was read about it", () => {
  fc.assert(fc.property(READ_NS, fc.integer({ min: -1000, max: 5000 }), (readNs, ms) => {
    const delays = delaysOf(readNs);
    const stampNs = ms * MS;
    const nearestNs = readNs.reduce(
      (least, read) => Math.min(least, Math.abs(read - stampNs)),
      Infinity,
    );
    const isUnwatched = nearestNs > longestWatchedGapNs(delays);
    assert.equal(new Unwatched(new Map([[3, delays]])).has(3, stampNs), isUnwatched);
    const within = unwatchedTimes(delays).filter(({ startNs, endNs }) =>
      startNs < stampNs && stampNs < endNs
    );
    assert.equal(within.length, isUnwatched ? 1 : 0);
  }));
});

Deno.test("a thread without canaries is watched as long as the others' are few", () => {
  const after = (ms: number) =>
    new Unwatched(new Map([[0, delaysOf(Float64Array.of(0, ms * MS))]])).has(1, ms * MS);
  assert.equal(after(100), false);
  assert.equal(after(60_000), true);
  assert.equal(new Unwatched(new Map()).has(0, 0), false);
});
