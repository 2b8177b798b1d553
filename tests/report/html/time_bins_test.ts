import assert from "node:assert/strict";
import fc from "fast-check";
import { percentilesOverTime, TimeBins } from "../../../src/report/html/time_bins.ts";

const time = fc.double({ min: -3, max: 7, noNaN: true });

Deno.test("TimeBins keeps every amount, however it is spread", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(time, time, fc.integer({ min: 1, max: 100 })), { minLength: 1 }),
    (stretches) => {
      const bins = new TimeBins(-3, 7, 40);
      let total = 0;
      for (const [a, b, amount] of stretches) {
        bins.spread(Math.min(a, b), Math.max(a, b), amount);
        total += amount;
      }
      const sum = bins.perSecond(7).reduce((sum, rate) => sum + rate * bins.width, 0);
      assert.ok(Math.abs(sum - total) < 1e-6 * total, `${sum} for ${total}`);
    },
  ));
});

Deno.test("TimeBins gives levels and rates by the bin", () => {
  const bins = new TimeBins(0, 4, 4);
  assert.deepEqual([bins.start, bins.width, bins.length], [0, 1, 4]);
  bins.spread(0.5, 3, 2.5);
  bins.add(3.5, 2);
  assert.deepEqual(bins.perSecond(4), [0.5, 1, 1, 2]);
  assert.deepEqual(bins.edges, [0, 1, 2, 3, 4]);
});

Deno.test("TimeBins counts the last bin by the time that it has", () => {
  const bins = new TimeBins(0, 3.5, 4);
  bins.add(3.2, 2);
  assert.deepEqual(bins.perSecond(3.5), [0, 0, 0, 4]);
});

Deno.test("TimeBins has edges at round times, zero among them", () => {
  const { edges } = new TimeBins(-1.37, 8.1, 50);
  assert.ok(edges.includes(0), edges.join(" "));
  assert.ok((edges[0] as number) <= -1.37);
});

Deno.test("percentilesOverTime has bins with enough values, and none without", () => {
  const times = Float64Array.from({ length: 400 }, (_, i) => i < 200 ? i / 100 : 8 + i / 200);
  const values = times.map((time) => time < 5 ? 10 : 30);
  const { x, p10, p50, p90, p99 } = percentilesOverTime(times, values, 0, 10);
  assert.ok(x.length >= 2 && x.length <= 20, `${x}`);
  assert.ok(!x.some((at) => at > 3 && at < 8), `${x}`);
  for (const column of [p10, p50, p90, p99]) {
    assert.deepEqual(column, x.map((at) => at < 5 ? 10 : 30));
  }
});
