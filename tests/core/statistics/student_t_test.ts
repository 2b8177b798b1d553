import assert from "node:assert/strict";
import { kolmogorovSmirnov } from "../../../src/core/statistics/kolmogorov_smirnov.ts";
import { sampleConfidence } from "../../../src/core/statistics/sample_confidence.ts";
import { studentTQuantile, studentTShare } from "../../../src/core/statistics/student_t.ts";

/** The values that scipy.stats.t.ppf gives. */
const QUANTILES: readonly (readonly [p: number, degrees: number, t: number])[] = [
  [0.975, 1, 12.706204736432095],
  [0.975, 2, 4.302652729911275],
  [0.975, 4, 2.7764451051977987],
  [0.975, 9, 2.2621571627409915],
  [0.95, 5, 2.015048372669157],
  [0.995, 3, 5.840909309733355],
  [0.975, 1000, 1.9623390808264078],
  [0.025, 2, -4.302652729911275],
];

Deno.test("studentTQuantile gives the values of tables", () => {
  for (const [p, degrees, t] of QUANTILES) {
    const found = studentTQuantile(p, degrees);
    assert.ok(Math.abs(found - t) < 1e-8 * Math.abs(t), `${p}, ${degrees}: ${found}`);
    assert.ok(Math.abs(studentTShare(found, degrees) - p) < 1e-9);
  }
  assert.equal(studentTQuantile(0.5, 7), 0);
  assert.throws(() => studentTQuantile(1, 7), RangeError);
  assert.throws(() => studentTQuantile(0.9, 0), RangeError);
});

Deno.test("sampleConfidence has AIPerf's statistics", () => {
  const found = sampleConfidence([10, 12, 11], 0.95);
  assert.deepEqual(
    { mean: found.mean, std: found.std, min: found.min, max: found.max, cv: found.cv },
    { mean: 11, std: 1, min: 10, max: 12, cv: 1 / 11 },
  );
  assert.ok(Math.abs(found.se - 1 / Math.sqrt(3)) < 1e-12);
  assert.ok(Math.abs(found.ciHigh - (11 + 4.302652729911275 / Math.sqrt(3))) < 1e-8);
  assert.ok(Math.abs(found.ciLow + found.ciHigh - 22) < 1e-9);
  const one = sampleConfidence([5], 0.95);
  assert.deepEqual([one.mean, one.std, one.ciLow, one.ciHigh, one.cv], [5, 0, 5, 5, 0]);
  assert.ok(Number.isNaN(one.tCritical));
  assert.equal(sampleConfidence([0, 0], 0.95).cv, 0);
  assert.throws(() => sampleConfidence([], 0.95), RangeError);
});

Deno.test("kolmogorovSmirnov tells samples of one distribution from those of two", () => {
  const values = Array.from({ length: 200 }, (_, i) => i);
  assert.equal(kolmogorovSmirnov(values, values), 1);
  assert.ok(kolmogorovSmirnov(values, values.map((value) => value + 0.5)) > 0.9);
  assert.ok(kolmogorovSmirnov(values, values.map((value) => value + 60)) < 1e-4);
  // Half of one lies beyond the other: D = 0.5, n = 20 each; scipy's asymptotic p is 0.0081.
  const few = kolmogorovSmirnov(
    Array.from({ length: 20 }, (_, i) => i),
    Array.from({ length: 20 }, (_, i) => i + 10),
  );
  assert.ok(few > 0.003 && few < 0.02, `${few}`);
  assert.throws(() => kolmogorovSmirnov([], [1]), RangeError);
});
