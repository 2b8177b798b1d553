import assert from "node:assert/strict";
import { lastFactor } from "../../src/own_error/last_factor.ts";

const MS = 1e6;

/** Canaries of two threads: of one half are later than of the other. */
function canariesOf(medianMs: number): Parameters<typeof lastFactor>[0] {
  const quick = Float64Array.of(0, 0, 0);
  const late = Float64Array.from(Number.isNaN(medianMs) ? [] : [0, medianMs * MS, 9 * MS]);
  return new Map([quick, late].map((delayNs, i) => [i, { readNs: delayNs, delayNs }]));
}

/** The factor of requests on two threads, one second each, from some time on. */
function factorOf(
  requests: number,
  medianMs: number,
  { fromMs = 1000, lastMs = medianMs, ttftMs = 5, itlMs }: {
    readonly fromMs?: number;
    readonly lastMs?: number;
    readonly ttftMs?: number;
    readonly itlMs?: number;
  } = {},
): number {
  const startNs = Float64Array.from({ length: requests }, (_, i) => (fromMs + i % 10) * MS);
  return lastFactor(canariesOf(medianMs), canariesOf(lastMs), {
    startNs,
    endNs: startNs.map((start, i) => i === 0 ? NaN : start + 991 * MS),
    workers: startNs.map((_, i) => i % 2),
    ttftMs: startNs.map(() => ttftMs),
    // Replies of one token have none.
    itlMs: itlMs === undefined ? undefined : startNs.map((_, i) => i % 3 === 0 ? NaN : itlMs),
  });
}

Deno.test("lastFactor grows with the streams of a thread that has too much to read", () => {
  const counts = [20, 60, 80, 190, 260];
  assert.deepEqual(counts.map((count) => factorOf(count, 1)), [1, 1, 3, 3, 6]);
  assert.equal(factorOf(260, 7, { fromMs: 1e6 }), 6);
});

Deno.test("lastFactor is one where most canaries are read soon, without any, and without streams", () => {
  assert.equal(factorOf(400, 0.9), 1);
  assert.equal(factorOf(400, NaN), 1);
  assert.equal(factorOf(400, 7, { ttftMs: NaN }), 1);
});

Deno.test("lastFactor grows where only canaries that stand for last chunks lie unread for long", () => {
  assert.deepEqual([0.9, 1, 7].map((lastMs) => factorOf(260, 0.3, { lastMs })), [1, 6, 6]);
  // Of streams that have nothing to read most of the time they say no more than others.
  assert.equal(factorOf(260, 0.3, { lastMs: 7, itlMs: 0.2 }), 6);
  assert.equal(factorOf(260, 0.3, { lastMs: 7, itlMs: 5 }), 1);
});

Deno.test("lastFactor is one where a stream brings less than a token in a usual delay", () => {
  assert.equal(factorOf(260, 7, { itlMs: 6.9 }), 6);
  assert.equal(factorOf(260, 7, { itlMs: 7.1 }), 1);
  assert.equal(factorOf(260, 7, { itlMs: NaN }), 6);
});
