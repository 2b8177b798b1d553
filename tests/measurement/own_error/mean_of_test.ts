import assert from "node:assert/strict";
import fc from "fast-check";
import { meanOf } from "../../../src/measurement/own_error/mean_of.ts";

Deno.test("meanOf is the same to the last bit in whatever order the values are", () => {
  assert.equal(meanOf(Float64Array.of(1, 2, 6)), 3);
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 });
  fc.assert(fc.property(values, (values) => {
    const mean = meanOf(Float64Array.from(values));
    assert.equal(meanOf(Float64Array.from(values.toReversed())), mean);
  }));
});
