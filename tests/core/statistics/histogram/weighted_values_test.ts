import fc from "fast-check";
import assert from "node:assert/strict";
import { percentile } from "../../../../src/core/statistics/percentile.ts";
import { WeightedValues } from "../../../../src/core/statistics/histogram/weighted_values.ts";

Deno.test("WeightedValues of single observations have the percentiles of their list", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 40 }),
    fc.double({ min: 0, max: 100, noNaN: true }),
    (list, p) => {
      const values = new WeightedValues();
      for (const value of list) values.addEqual(value, 1);
      const [estimate] = values.percentiles([p]);
      const truth = percentile(Float64Array.from(list).sort(), p);
      assert.ok(Math.abs((estimate as number) - truth) < 1e-9, `${estimate} for ${truth}`);
    },
  ));
});

Deno.test("WeightedValues take a number of equal observations for as many", () => {
  const values = new WeightedValues();
  values.addEqual(2, 3);
  values.addEqual(1, 2);
  const sorted = Float64Array.of(1, 1, 2, 2, 2);
  for (const p of [0, 10, 25, 30, 50, 100]) {
    assert.ok(Math.abs((values.percentiles([p])[0] as number) - percentile(sorted, p)) < 1e-12);
  }
});

Deno.test("WeightedValues spread a range evenly, and keep out of the gap after it", () => {
  const values = new WeightedValues();
  values.addRange(0, 1, 500);
  values.addRange(1, 2, 0);
  values.addRange(5, 6, 501);
  const [p25, p49, p50, p75] = values.percentiles([25, 49, 50, 75]) as number[];
  assert.ok(Math.abs((p25 as number) - 0.5) < 0.01, `${p25}`);
  assert.ok(Math.abs((p49 as number) - 0.98) < 0.01, `${p49}`);
  assert.ok((p50 as number) >= 5, `${p50}`);
  assert.ok(Math.abs((p75 as number) - 5.5) < 0.01, `${p75}`);
});

Deno.test("WeightedValues are in order when observations lie inside a range", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.double({ min: -1, max: 4, noNaN: true }), fc.integer({ min: 1, max: 9 }))),
    fc.array(fc.double({ min: 0.1, max: 30, noNaN: true }), { minLength: 1, maxLength: 3 }),
    (points, counts) => {
      const values = new WeightedValues();
      counts.forEach((count, i) => values.addRange(i, i + 1, count));
      for (const [value, count] of points) values.addEqual(value, count);
      const estimates = values.percentiles([0, 1, 10, 30, 50, 70, 90, 99, 100]);
      estimates.forEach((value, i) => assert.ok(value >= (estimates[i - 1] ?? -1) - 1e-12));
    },
  ));
});
