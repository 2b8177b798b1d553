import assert from "node:assert/strict";
import fc from "fast-check";
import { expectedValues } from "../../../src/measurement/metrics/expected_values.ts";

Deno.test("expectedValues of short observations are those of the complete ones", () => {
  const complete = Float64Array.from({ length: 100 }, (_, i) => 1000 + i);
  const { values, leastBound } = expectedValues(complete, Float64Array.of(10, 200, 300, 900));
  assert.deepEqual([...values], [1012, 1037, 1062, 1087]);
  assert.equal(leastBound, Infinity);
});

Deno.test("expectedValues of observations longer than all complete ones are lower bounds", () => {
  const { values, leastBound } = expectedValues(Float64Array.of(1, 2, 3), Float64Array.of(7, 5));
  assert.deepEqual([...values], [5, 7]);
  assert.equal(leastBound, 5);
});

Deno.test("expectedValues are never shorter than observed", () => {
  const times = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 50 });
  fc.assert(fc.property(times, times, (complete, observed) => {
    const found = expectedValues(Float64Array.from(complete), Float64Array.from(observed));
    const sorted = Float64Array.from(observed).sort();
    assert.equal(found.values.length, observed.length);
    found.values.forEach((value, at) => assert.ok(value >= (sorted[at] as number)));
    const most = Math.max(-1, ...complete);
    assert.equal(found.leastBound, Math.min(Infinity, ...observed.filter((time) => time >= most)));
  }));
});
