import assert from "node:assert/strict";
import fc from "fast-check";
import { sortedSums } from "../../src/own_error/sorted_sums.ts";

const ascending = (maxLength: number) =>
  fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength })
    .map((values) => Float64Array.from(values).sort());

Deno.test("sortedSums gives every sum in ascending order", () => {
  fc.assert(fc.property(ascending(9), ascending(9), (values, addends) => {
    const sums = Float64Array.from(
      [...values].flatMap((value) => [...addends].map((addend) => value + addend)),
    );
    const room = [new Float64Array(sums.length), new Float64Array(sums.length)] as const;
    // In which order 0 and -0 come means nothing.
    const plain = (numbers: Float64Array) => [...numbers].map((number) => number + 0);
    assert.deepEqual(plain(sortedSums(values, addends, room)), plain(sums.sort()));
  }));
});
