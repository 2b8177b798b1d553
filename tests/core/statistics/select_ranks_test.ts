import assert from "node:assert/strict";
import fc from "fast-check";
import { largeValues } from "../../../src/core/statistics/large_summary.ts";
import { percentile } from "../../../src/core/statistics/percentile.ts";
import { selectNear } from "../../../src/core/statistics/select_near.ts";
import { selectPercentiles } from "../../../src/core/statistics/select_percentiles.ts";
import { selectRanks } from "../../../src/core/statistics/select_ranks.ts";
import { summarize, summarizeSorted } from "../../../src/core/statistics/summarize.ts";

/** Values as they occur, and those that only some of their bits tell apart. */
const value = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: 0, max: 1e9 }).map((ns) => ns / 1e6),
  fc.nat(40).map((step) => 1234.5 + step * 2 ** -40),
  fc.nat(40).map((step) => -1234.5 - step * 2 ** -40),
  fc.constantFrom(0, -0, Infinity, -Infinity, 5e-324),
);
const values = fc.array(value, { minLength: 1, maxLength: 300 });

Deno.test("selectRanks finds what lies there when all values are put in order", () => {
  fc.assert(fc.property(values, fc.array(fc.nat(), { maxLength: 20 }), (list, lots) => {
    const numbers = Float64Array.from(list);
    const ranks = lots.map((lot) => lot % list.length);
    const found = selectRanks(numbers, ranks);
    const sorted = numbers.toSorted();
    ranks.forEach((rank, place) => assert.ok(Object.is(found[place], sorted[rank])));
    assert.deepEqual(numbers, Float64Array.from(list), "they stay as they are");
  }));
});

Deno.test("selectNear finds the same where few lie near each other, and else nothing", () => {
  fc.assert(fc.property(values, fc.array(fc.nat(), { maxLength: 20 }), (list, lots) => {
    const numbers = Float64Array.from(list);
    const ranks = lots.map((lot) => lot % list.length);
    const sorted = numbers.toSorted();
    const near = selectNear(numbers, sorted[0] as number, sorted.at(-1) as number, ranks);
    if (near === undefined) return;
    ranks.forEach((rank, place) => assert.ok(Object.is(near[place], sorted[rank])));
  }));
  const spread = Float64Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000 + i / 1e6);
  const ranks = [0, 1, 10, 11, 500, 989, 990, 999];
  const sorted = spread.toSorted();
  assert.deepEqual(
    [...selectNear(spread, sorted[0] as number, sorted[999] as number, ranks) ?? []],
    ranks.map((rank) => sorted[rank]),
  );
});

Deno.test("selectPercentiles finds what lies there in order", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(fc.nat(20), fc.double({ noNaN: true })), { maxLength: 300 }),
    fc.array(fc.nat(100), { maxLength: 6 }).map((ps) => ps.sort((a, b) => a - b)),
    (list, ps) => {
      const sorted = Float64Array.from(list).sort();
      assert.deepEqual(
        selectPercentiles(Float64Array.from(list), ps),
        ps.map((p) => percentile(sorted, p)),
      );
    },
  ));
});

Deno.test("largeValues finds moments and places of numbers, whole ones as well", () => {
  const few = fc.oneof(
    fc.array(fc.integer({ min: -100, max: 2000 }), { minLength: 1, maxLength: 300 }),
    fc.array(fc.integer({ min: 0, max: 1e9 }).map((ns) => ns / 1e6), {
      minLength: 1,
      maxLength: 300,
    }),
    fc.constant([1e12, 1e12 + 1, 1e12 + 7]),
    fc.constant([0.1, 0.1, 0.1]),
  );
  fc.assert(fc.property(few, (list) => {
    const numbers = Float64Array.from(list);
    const sorted = numbers.toSorted();
    const { count, sum, avg, std } = summarizeSorted(sorted);
    const found = largeValues(numbers, list.map((_, place) => place));
    assert.equal(found.sorted.length, count);
    assert.deepEqual(list.map((_, place) => found.sorted.at(place)), [...sorted]);
    assert.deepEqual([found.min, found.max], [sorted[0], sorted.at(-1)]);
    const isClose = (is: number, wanted: number): boolean =>
      Math.abs(is - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
    assert.ok(isClose(found.sum, sum), `${found.sum} ${sum}`);
    assert.ok(isClose(found.mean, avg), `${found.mean} ${avg}`);
    assert.ok(isClose(Math.sqrt(Math.max(0, found.squares) / count), std));
  }));
});

Deno.test("summarize of many values is that of the same values in order", () => {
  for (const scale of [1e6, 1, 3, 1e150]) {
    let state = 1;
    const numbers = Float64Array.from({ length: 210_000 }, () => {
      state = state * 48_271 % 2_147_483_647;
      return scale === 1 ? state % 1000 : state / scale;
    });
    const expected = summarizeSorted(numbers.toSorted());
    const found = summarize(numbers);
    for (const [name, value] of Object.entries(expected)) {
      const is = found[name as keyof typeof found];
      if (["sum", "avg", "std"].includes(name)) {
        assert.ok(Math.abs(is - value) <= 1e-14 * Math.abs(value), `${name} ${is} ${value}`);
      } else assert.equal(is, value, name);
    }
  }
});
