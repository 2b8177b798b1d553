import fc from "fast-check";
import assert from "node:assert/strict";
import { FloatColumn } from "../../../src/core/statistics/float_column.ts";
import { SpanPool } from "../../../src/measurement/metrics/span_pool.ts";
import { NanosecondColumn } from "../../../src/core/statistics/nanosecond_column.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";

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
  const taken = column.take();
  assert.deepEqual(taken.slice(0, 2), Float64Array.of(0, 1 / 3));
  assert.equal(taken.length, 100_002);
  assert.equal(column.length, 0);
  column.push(5);
  assert.deepEqual([...column.values], [5]);
});

/** Spans as they occur, and those that are rare or should not be: long, fractional, negative. */
const spans = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 1e8 }) },
    fc.constantFrom(4_294_967_294, 4_294_967_295, 4_294_967_296, 6e10, 0.5, -1),
  ),
  { minLength: 1, maxLength: 200 },
);

function inMilliseconds(list: readonly number[]): Float64Array {
  return Float64Array.from(list, (span) => span / 1e6);
}

Deno.test("NanosecondColumn keeps every span exactly, in its order and sorted", () => {
  fc.assert(fc.property(spans, (list) => {
    const column = new NanosecondColumn();
    for (const span of list) column.push(span);
    const expected = inMilliseconds(list);
    assert.deepEqual(column.millisecondsOf(0, list.length), expected);
    assert.deepEqual(column.millisecondsOf(1, list.length), expected.subarray(1));
    const sorted = expected.slice().sort();
    for (const values of [column.sortedMilliseconds(), column.takeSortedMilliseconds()]) {
      const all = Float64Array.from({ length: values.length }, (_, at) => values.at(at) as number);
      assert.deepEqual(all, sorted);
    }
    assert.equal(column.length, 0);
    column.push(3e6);
    assert.deepEqual([...column.millisecondsOf(0, 1)], [3]);
  }));
});

Deno.test("NanosecondColumn sorts across its pieces", () => {
  const column = new NanosecondColumn();
  const list = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
  for (const span of list) column.push(span);
  const sorted = column.takeSortedMilliseconds();
  const expected = inMilliseconds(list).sort();
  assert.equal(sorted.length, expected.length);
  assert.ok(expected.every((value, at) => sorted.at(at) === value));
});

Deno.test("SpanPool is exact up to its limit and within 0.1 % beyond", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 1, max: 1e12 }), { minLength: 1, maxLength: 200 }),
    (list) => {
      const exact = new SpanPool(1000);
      const sketched = new SpanPool(0);
      for (const span of list) {
        exact.add(span);
        sketched.add(span);
      }
      const expected = summarize(inMilliseconds(list));
      assert.deepEqual(exact.summarize(), expected);
      assert.deepEqual([exact.isExact, sketched.isExact], [true, false]);
      const rough = sketched.summarize();
      assert.equal(rough.count, expected.count);
      assert.ok(Math.abs(rough.avg - expected.avg) <= expected.avg * 1e-12);
      assert.ok(Math.abs(rough.std - expected.std) <= expected.avg * 1e-6);
      assert.deepEqual(exact.summarizeAndForget(), expected);
    },
  ));
});

Deno.test("SpanPool says the same whether spans come one by one or together", () => {
  const span = fc.oneof(
    fc.integer({ min: 0, max: 1e10 }),
    fc.constantFrom(-1, 0.5, 2 ** 32 - 1),
  );
  fc.assert(fc.property(
    fc.array(fc.array(span, { maxLength: 30 }), { maxLength: 6 }),
    fc.nat(100),
    (lists, limit) => {
      const [together, single] = [new SpanPool(limit), new SpanPool(limit)];
      for (const list of lists) {
        together.addAll(Float64Array.from([...list, 7]), list.length);
        for (const one of list) single.add(one);
      }
      assert.equal(together.count, single.count);
      assert.equal(together.isExact, single.isExact);
      assert.deepEqual(together.summarize(), single.summarize());
      const [from, to] = [Math.min(2, single.count), single.count];
      assert.deepEqual(together.millisecondsOf(from, to), single.millisecondsOf(from, to));
    },
  ));
});
