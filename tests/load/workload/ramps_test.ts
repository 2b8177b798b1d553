import assert from "node:assert/strict";
import fc from "fast-check";
import { RAMP_SHAPES } from "../../../src/config/options/ramp_shapes.ts";
import type { RampPlan, RatePoint } from "../../../src/config/plan/run_plan.ts";
import { createRate } from "../../../src/load/workload/create_rate.ts";
import { rampShape } from "../../../src/load/workload/ramps.ts";
import { limitCurve } from "../../../src/load/workload/limit_curve.ts";

const RAMP: fc.Arbitrary<RampPlan> = fc.record({
  shape: fc.constantFrom(...RAMP_SHAPES),
  durationNs: fc.integer({ min: 1, max: 3600 }).map((ms) => ms * 1e6),
  steps: fc.integer({ min: 1, max: 40 }),
});
const SHARE = fc.double({ min: 0, max: 1, noNaN: true });
const SERIES: fc.Arbitrary<RatePoint[]> = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 50_000 })),
  { minLength: 2, maxLength: 8 },
).map((steps) => {
  let seconds = 0;
  return steps.map(([gap, rate]) => ({ seconds: seconds += gap / 100, ratePerSecond: rate / 100 }));
});

function near(a: number, b: number, what: string): void {
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a}, ${b}`);
}

Deno.test("a ramp's shape never descends, ends at the target, and its area has an inverse", () => {
  fc.assert(fc.property(RAMP, SHARE, SHARE, (plan, one, other) => {
    const shape = rampShape(plan);
    const [early, late] = [Math.min(one, other), Math.max(one, other)];
    assert.ok(shape.levelAt(early) <= shape.levelAt(late));
    near(shape.levelAt(1), 1, "the level at the end");
    near(shape.areaAt(0), 0, "the area at the beginning");
    near(shape.areaAt(shape.timeOf(shape.areaAt(one))), shape.areaAt(one), "the inverse");
    const reached = shape.reachedAt(one);
    assert.ok(reached >= 0 && reached <= 1);
    // At the time the level is there, and a moment before it was not.
    assert.ok(shape.levelAt(Math.min(1, reached + 1e-9)) >= one - 1e-9);
    if (reached > 1e-6) assert.ok(shape.levelAt(reached - 1e-6) <= one + 1e-9);
  }));
});

Deno.test("a ramp's area is the integral of its level", () => {
  for (const shape of RAMP_SHAPES) {
    const ramp = rampShape({ shape, durationNs: 1, steps: 7 });
    const slices = 70_000;
    let sum = 0;
    for (let i = 0; i < slices; i++) sum += ramp.levelAt((i + 0.5) / slices) / slices;
    assert.ok(Math.abs(sum - ramp.areaAt(1)) < 1e-6, `${shape}: ${sum}`);
  }
});

Deno.test("limitCurve has each limit from the time on at which it is reached, from 1 to the target", () => {
  fc.assert(fc.property(RAMP, fc.integer({ min: 1, max: 300 }), SHARE, (ramp, target, share) => {
    const curve = limitCurve(target, ramp);
    const phaseNs = Math.round(ramp.durationNs * share * 1.2);
    const limit = curve.at(phaseNs);
    assert.ok(limit >= 1 && limit <= target);
    assert.ok(curve.reachedNs(limit) <= phaseNs);
    assert.ok(curve.reachedNs(limit + 1) > phaseNs);
    // To the nanosecond.
    const reachedNs = curve.reachedNs(limit);
    assert.ok(curve.at(reachedNs) >= limit);
    if (reachedNs > 0) assert.ok(curve.at(reachedNs - 1) < limit);
    assert.equal(curve.at(ramp.durationNs), target);
    assert.equal(curve.reachedNs(target + 1), Infinity);
  }));
});

Deno.test("limitCurve adds one after another over a linear ramp, and steps in equal times", () => {
  const linear = limitCurve(5, { shape: "linear", durationNs: 8e9, steps: 1 });
  assert.deepEqual([1, 2, 3, 4, 5].map(linear.reachedNs), [0, 2e9, 4e9, 6e9, 8e9]);
  const steps = limitCurve(100, { shape: "steps", durationNs: 40e9, steps: 4 });
  assert.deepEqual([0, 9.9e9, 10e9, 20e9, 30e9].map(steps.at), [25, 25, 50, 75, 100]);
  assert.equal(limitCurve(7, undefined).at(0), 7);
  assert.equal(limitCurve(Infinity, undefined).at(0), Infinity);
});

Deno.test("createRate asks for as many requests as the integral of the rate says", () => {
  const property = fc.property(
    fc.option(RAMP, { nil: undefined }),
    fc.option(SERIES, { nil: undefined }),
    fc.integer({ min: 1, max: 500_000 }),
    (rateRamp, rateSeries, n) => {
      const rate = createRate({ ratePerSecond: 40, rateRamp, rateSeries });
      const count = n / 100;
      const seconds = rate.secondsOf(count);
      assert.ok(Number.isFinite(seconds) && seconds >= 0);
      assert.ok(rate.secondsOf(count + 1) > seconds, "arrivals ascend");
      near(rate.countAt(seconds), count, "the inverse");
    },
  );
  fc.assert(property, { numRuns: 500 });
});

Deno.test("createRate changes evenly between the points of a series and stays at the last one", () => {
  const rate = createRate({
    ratePerSecond: 20,
    rateSeries: [{ seconds: 2, ratePerSecond: 10 }, { seconds: 4, ratePerSecond: 20 }],
  });
  assert.deepEqual([0, 2, 3, 4, 99].map(rate.rateAt), [10, 10, 15, 20, 20]);
  assert.deepEqual([2, 4, 5].map(rate.countAt), [20, 50, 70]);
  assert.equal(rate.secondsOf(70), 5);
});

Deno.test("createRate begins a series when the ramp to its first rate is over", () => {
  const rate = createRate({
    ratePerSecond: 20,
    rateRamp: { shape: "linear", durationNs: 2e9, steps: 1 },
    rateSeries: [{ seconds: 0, ratePerSecond: 10 }, { seconds: 2, ratePerSecond: 20 }],
  });
  assert.deepEqual([0, 1, 2, 3, 4].map(rate.rateAt), [0, 5, 10, 15, 20]);
  assert.equal(rate.countAt(2), 10);
  assert.equal(rate.countAt(4), 40);
});
