import fc from "fast-check";
import assert from "node:assert/strict";
import { FloatColumn } from "../../src/statistics/float_column.ts";
import { ValuePool } from "../../src/metrics/value_pool.ts";
import { summarize } from "../../src/statistics/summarize.ts";

Deno.test("FloatColumn holds what was pushed, also when it is looked at in between", () => {
  const column = new FloatColumn();
  const expected: number[] = [];
  for (let i = 0; i < 100_000; i++) {
    column.push(i / 3);
    expected.push(i / 3);
    if (i % 33_333 === 5) assert.equal(column.values.length, i + 1);
  }
  assert.equal(column.length, 100_000);
  assert.deepEqual(column.values, Float64Array.from(expected));
  column.padTo(100_002);
  assert.deepEqual([...column.values.slice(-3)], [expected.at(-1), NaN, NaN]);
  assert.deepEqual(column.sorted().slice(0, 2), Float64Array.of(0, 1 / 3));
});

Deno.test("ValuePool is exact up to its limit and within 0.1 % beyond", () => {
  fc.assert(fc.property(
    fc.array(fc.double({ noNaN: true, min: 0.001, max: 1e6 }), { minLength: 1, maxLength: 200 }),
    (list) => {
      const exact = new ValuePool(1000);
      const sketched = new ValuePool(0);
      for (const value of list) {
        exact.add(value);
        sketched.add(value);
      }
      const expected = summarize(Float64Array.from(list));
      assert.deepEqual(exact.summarize(), expected);
      assert.deepEqual([exact.isExact, sketched.isExact], [true, false]);
      const rough = sketched.summarize();
      assert.equal(rough.count, expected.count);
      assert.ok(Math.abs(rough.avg - expected.avg) <= expected.avg * 1e-12);
      assert.ok(Math.abs(rough.std - expected.std) <= expected.avg * 1e-6);
    },
  ));
});

Deno.test("FloatColumn gives its values away sorted, across its pieces", () => {
  const column = new FloatColumn();
  const values = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
  for (const value of values) column.push(value);
  assert.deepEqual(column.takeSorted(), Float64Array.from(values).sort());
  assert.equal(column.length, 0);
  column.push(5);
  assert.deepEqual([...column.values], [5]);
});
