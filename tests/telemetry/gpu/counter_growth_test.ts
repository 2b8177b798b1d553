import assert from "node:assert/strict";
import fc from "fast-check";
import {
  codeChange,
  eventGrowth,
  steadyGrowth,
} from "../../../src/telemetry/gpu/counter_growth.ts";

function samples(pairs: readonly (readonly [timeNs: number, value: number])[]) {
  return {
    timesNs: Float64Array.from(pairs, ([time]) => time),
    values: Float64Array.from(pairs, ([, value]) => value),
  };
}

Deno.test("steadyGrowth shares a step out by time when the window cuts it", () => {
  const growth = steadyGrowth(samples([[0, 100], [10, 200], [20, 400]]), { startNs: 5, endNs: 15 });
  assert.deepEqual(growth, { value: 50 + 100, covered: 1, resets: 0 });
});

Deno.test("steadyGrowth looks past samples that repeat what the exporter said before", () => {
  const pairs = [[0, 0], [3, 0], [6, 0], [10, 100], [13, 100], [20, 200], [23, 200]] as const;
  const growth = steadyGrowth(samples(pairs), { startNs: 5, endNs: 15 });
  assert.deepEqual(growth, { value: 100, covered: 1, resets: 0 });
});

Deno.test("steadyGrowth counts on from zero when the counter falls", () => {
  const growth = steadyGrowth(samples([[0, 100], [10, 200], [20, 30], [30, 60]]), {
    startNs: 0,
    endNs: 30,
  });
  assert.deepEqual(growth, { value: 100 + 30 + 30, covered: 1, resets: 1 });
});

Deno.test("steadyGrowth says how much of the window was read, and nothing of a still counter", () => {
  const window = { startNs: 0, endNs: 40 };
  assert.equal(steadyGrowth(samples([[10, 0], [30, 5]]), window)?.covered, 0.5);
  assert.equal(steadyGrowth(samples([[10, 5], [30, 5]]), window), undefined);
});

Deno.test("steadyGrowth is the difference of a steady counter for any samples around the window", () =>
  fc.assert(fc.property(
    fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 30 }),
    fc.integer({ min: 1, max: 499 }),
    fc.integer({ min: 500, max: 999 }),
    (times, startNs, endNs) => {
      const sorted = [...new Set([0, ...times, 1000])].sort((a, b) => a - b);
      const growth = steadyGrowth(samples(sorted.map((time) => [time, 7 + time * 3])), {
        startNs,
        endNs,
      });
      assert.ok(Math.abs((growth?.value ?? NaN) - (endNs - startNs) * 3) < 1e-9);
    },
  )));

Deno.test("eventGrowth counts from the sample before the window to the last of all", () => {
  const pairs = [[0, 3], [10, 5], [20, 5], [30, 6], [40, 1]] as const;
  assert.deepEqual(eventGrowth(samples(pairs), { startNs: 15, endNs: 25 }), {
    value: 0 + 1 + 1,
    covered: 1,
    resets: 1,
  });
  assert.equal(eventGrowth(samples(pairs), { startNs: 50, endNs: 60 }), undefined);
});

Deno.test("codeChange is never negative", () => {
  assert.equal(codeChange(samples([[0, 31], [10, 43]]), { startNs: 5, endNs: 20 }), 12);
  assert.equal(codeChange(samples([[0, 43], [10, 0]]), { startNs: 5, endNs: 20 }), 0);
});
