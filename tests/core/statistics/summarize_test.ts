import fc from "fast-check";
import assert from "node:assert/strict";
import { percentile } from "../../../src/core/statistics/percentile.ts";
import { QuantileSketch } from "../../../src/core/statistics/quantile_sketch.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { float64FromHex, readFixture } from "../../support/fixtures.ts";

interface Vector {
  readonly "name": string;
  readonly "values_hex": readonly string[];
  readonly "p": Readonly<Record<string, string>>;
  readonly "mean_exact": string;
  readonly "sum_exact": string;
  readonly "std_ddof0_exact": string;
  readonly "std_ddof1_exact"?: string;
}

const { cases } = readFixture<{ cases: readonly Vector[] }>("statistics/vectors.json");

function within(actual: number, exact: number, tolerance: number): void {
  const error = actual === exact ? 0 : Math.abs(actual - exact) / Math.abs(exact);
  assert.ok(error <= tolerance, `${actual} is not ${exact}: off by ${error}`);
}

for (const vector of cases) {
  const values = Float64Array.from(vector.values_hex.map(float64FromHex));

  Deno.test(`percentile equals numpy's to the bit: ${vector.name}`, () => {
    const sorted = values.slice().sort();
    for (const [p, bits] of Object.entries(vector.p)) {
      assert.ok(Object.is(percentile(sorted, Number(p)), float64FromHex(bits)), `p${p}`);
    }
  });

  Deno.test(`summarize is within 1e-15 of the exact sum, mean and deviation: ${vector.name}`, () => {
    const summary = summarize(values);
    within(summary.sum, float64FromHex(vector.sum_exact), 1e-15);
    within(summary.avg, float64FromHex(vector.mean_exact), 1e-15);
    within(summary.std, float64FromHex(vector.std_ddof0_exact), 1e-15);
    if (vector.std_ddof1_exact !== undefined) {
      within(summarize(values, { ddof: 1 }).std, float64FromHex(vector.std_ddof1_exact), 1e-15);
    }
  });
}

const someValues = fc.array(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), { minLength: 1 });

Deno.test("percentile grows with p and stays between the extremes", () => {
  fc.assert(fc.property(someValues, fc.float({ min: 0, max: 100, noNaN: true }), (list, p) => {
    const sorted = Float64Array.from(list).sort();
    const value = percentile(sorted, p);
    assert.ok(value >= percentile(sorted, 0) && value <= percentile(sorted, 100));
    const smaller = percentile(sorted, p / 2);
    // Interpolation may err in the last bit between two nearly equal neighbours.
    assert.ok(smaller <= value + Math.abs(value) * 2e-16);
  }));
});

Deno.test("summarize does not depend on the order of the values", () => {
  fc.assert(fc.property(someValues, (list) => {
    const values = Float64Array.from(list);
    assert.deepEqual(summarize(values), summarize(values.slice().reverse()));
    assert.deepEqual(summarize(values), summarize(Float64Array.from(list).sort()));
  }));
});

Deno.test("percentile refuses what is no percentage and has none for no values", () => {
  assert.throws(() => percentile(Float64Array.of(1), 101), /between 0 and 100: got 101/);
  assert.throws(() => percentile(Float64Array.of(1), NaN), /between 0 and 100/);
  assert.ok(Number.isNaN(percentile(new Float64Array(0), 50)));
});

Deno.test("summarize leaves its argument as it was", () => {
  const values = Float64Array.of(3, 1, 2);
  summarize(values);
  assert.deepEqual([...values], [3, 1, 2]);
});

Deno.test("QuantileSketch stays within 0.1 % of exact percentiles, with exact moments", () => {
  fc.assert(fc.property(
    fc.array(fc.double({ noNaN: true, min: 0, max: 1e9 }), { minLength: 1, maxLength: 300 }),
    (list) => {
      const sketch = new QuantileSketch();
      for (const value of list) sketch.add(value);
      const sorted = Float64Array.from(list).sort();
      const exact = summarize(sorted);
      const sketched = sketch.summarize();
      assert.deepEqual([sketched.count, sketched.min, sketched.max], [
        exact.count,
        exact.min,
        exact.max,
      ]);
      for (const p of [1, 25, 50, 90, 99]) {
        // The rank's own value: a sketch does not interpolate between neighbours.
        const value = sorted[Math.floor((sorted.length - 1) * (p / 100))] as number;
        const error = Math.abs(sketch.percentile(p) - value);
        assert.ok(error <= value * 0.001 + 1e-300, `p${p}: ${sketch.percentile(p)} for ${value}`);
      }
    },
  ));
});

Deno.test("QuantileSketch is the same whether values come one by one or together", () => {
  // Spans of tokens: thousands of them share a few bins, and some lie next to where bins meet.
  const gamma = 1.001 / 0.999;
  const value = fc.oneof(
    fc.integer({ min: 0, max: 20_000_000 }).map((ns) => ns / 1e6),
    fc.integer({ min: -3000, max: 3000 }).map((bin) => gamma ** bin),
    fc.double({ noNaN: true }),
  );
  fc.assert(fc.property(fc.array(value, { maxLength: 300 }), fc.nat(300), (list, cut) => {
    const one = new QuantileSketch();
    const many = new QuantileSketch();
    for (const value of list) one.add(value);
    const [head, tail] = [list.slice(0, cut), list.slice(cut)].map((part) =>
      Float64Array.from(part)
    ) as [Float64Array, Float64Array];
    many.addAll(head, head.length);
    many.addAll(tail, tail.length);
    assert.deepEqual(many.summarize(), one.summarize());
    const bins = list.map((value) => value <= 0 ? -Infinity : Math.log(value) / Math.log(gamma))
      .map((bin) => Math.ceil(bin)).sort((a, b) => a - b);
    if (list.length === 0) return;
    const rank = bins[Math.floor((list.length - 1) * 0.9)] as number;
    if (rank === -Infinity || rank > 300_000) return;
    const middle = 2 * Math.exp(rank * Math.log(gamma)) / (gamma + 1);
    const [least, most] = [Math.min(...list), Math.max(...list)];
    assert.equal(one.percentile(90), Math.min(most, Math.max(least, middle)));
  }));
});

Deno.test("percentile of negative zeros is zero", () => {
  for (const values of [[-0], [-0, -0], [-0, -0, -0], [-0, 0, 0]]) {
    for (const p of [0, 25, 50, 90, 100]) {
      assert.ok(Object.is(percentile(Float64Array.from(values), p), 0), `p${p} of ${values}`);
    }
  }
  assert.ok(Object.is(summarize(Float64Array.of(-0, -0)).p50, 0));
});

Deno.test("summarize and percentile know nothing of values with NaN, however many, as numpy", () => {
  for (const length of [1, 5, 30_000, 300_000]) {
    for (const scale of [1, 0.1]) {
      const values = Float64Array.from({ length }, (_, i) => i % 997 * scale);
      values[length >> 1] = NaN;
      const { count, ...others } = summarize(values);
      assert.equal(count, length);
      for (const [name, figure] of Object.entries(others)) {
        assert.ok(Number.isNaN(figure), `${name} of ${length}: ${figure}`);
      }
      assert.ok(Number.isNaN(percentile(values.slice().sort(), 1)));
    }
  }
});
