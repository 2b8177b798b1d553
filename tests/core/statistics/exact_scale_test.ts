import assert from "node:assert/strict";
import fc from "fast-check";
import { exactScale } from "../../../src/core/statistics/exact_scale.ts";

Deno.test("values scaled by exactScale add up to the same in any order, and lose next to nothing", () => {
  const value = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
    const largest = Math.max(...values);
    const scale = exactScale(largest, values.length);
    const sum = (some: readonly number[]) =>
      some.reduce((total, one) => total + Math.round(one * scale), 0) / scale;
    assert.equal(sum(values.toReversed()), sum(values));
    assert.equal(sum(values.toSorted((a, b) => a - b)), sum(values));
    const plain = values.reduce((total, one) => total + one, 0);
    assert.ok(Math.abs(sum(values) - plain) <= 1e-9 * largest * values.length + 1e-200);
  }));
});

Deno.test("exactScale is 1 where there is nothing to add", () => {
  assert.deepEqual([exactScale(0, 5), exactScale(NaN, 5), exactScale(Infinity, 5)], [1, 1, 1]);
});
