import assert from "node:assert/strict";
import fc from "fast-check";
import { LogBuckets } from "../../../src/core/statistics/log_buckets.ts";

/** The value at a rank, as the sketch counts it. */
function exact(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * (p / 100))] as number;
}

const VALUES = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1 });

Deno.test("LogBuckets gives every percentile within 1 %", () => {
  fc.assert(fc.property(VALUES, fc.integer({ min: 0, max: 100 }), (values, p) => {
    const buckets = new LogBuckets();
    for (const value of values) buckets.add(value);
    const wanted = exact(values, p);
    const given = buckets.percentile(p);
    assert.ok(Math.abs(given - wanted) <= wanted * 0.0101, `p${p}: ${given} for ${wanted}`);
  }));
});

Deno.test("LogBuckets of all values are those of their parts together", () => {
  fc.assert(fc.property(VALUES, VALUES, (some, others) => {
    const [all, a, b] = [new LogBuckets(), new LogBuckets(), new LogBuckets()];
    for (const value of some) a.add(value);
    for (const value of others) b.add(value);
    for (const value of [...some, ...others]) all.add(value);
    a.addAll(b);
    assert.deepEqual(
      [a.count, a.max, a.percentile(50), a.percentile(99)],
      [all.count, all.max, all.percentile(50), all.percentile(99)],
    );
  }));
});

Deno.test("LogBuckets takes what lies beyond its range, and no number for nothing", () => {
  const buckets = new LogBuckets();
  buckets.add(NaN);
  assert.deepEqual([buckets.count, buckets.percentile(50), buckets.max], [0, NaN, NaN]);
  for (const value of [0, -5, 1e12]) buckets.add(value);
  assert.equal(buckets.count, 3);
  assert.ok(buckets.percentile(0) <= 0.0011);
  assert.ok(buckets.percentile(100) >= 9e6);
  buckets.clear();
  assert.deepEqual([buckets.count, buckets.percentile(50)], [0, NaN]);
});
