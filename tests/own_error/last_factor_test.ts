import assert from "node:assert/strict";
import { lastFactor } from "../../src/own_error/last_factor.ts";

const MS = 1e6;

/** The factor of requests on two threads, one second each, from some time on. */
function factorOf(requests: number, canaryMs: readonly number[], fromMs = 1000): number {
  const startNs = Float64Array.from({ length: requests }, (_, i) => (fromMs + i % 10) * MS);
  const canaries = Float64Array.from(canaryMs, (ms) => ms * MS);
  return lastFactor(new Map([[0, { readNs: canaries, delayNs: canaries }]]), {
    rows: Uint32Array.from(startNs.keys()),
    startNs,
    endNs: startNs.map((start) => start + 991 * MS),
    workers: Float64Array.from(startNs, (_, i) => i % 2),
  });
}

Deno.test("lastFactor grows with the streams of a thread that has too much to read", () => {
  const late = [0.1, 1, 7];
  assert.deepEqual([20, 60, 80, 190, 260].map((count) => factorOf(count, late)), [1, 1, 3, 3, 6]);
  assert.equal(factorOf(260, late, 1e6), 6);
});

Deno.test("lastFactor is one where most canaries are read soon, and where there is none", () => {
  assert.equal(factorOf(400, [0.1, 0.9, 7]), 1);
  assert.equal(factorOf(400, []), 1);
});
