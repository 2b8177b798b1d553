import assert from "node:assert/strict";
import fc from "fast-check";
import { sortedSums } from "../../src/own_error/sorted_sums.ts";

const ascending = (maxLength: number) =>
  fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength })
    // Where 0 and -0 stand among each other means nothing: there are none of the latter.
    .map((values) => Float64Array.from(values, (value) => value + 0).sort());

Deno.test("sortedSums gives every sum in ascending order", () => {
  fc.assert(fc.property(ascending(9), ascending(9), (values, addends) => {
    const sums = Float64Array.from(
      [...values].flatMap((value) => [...addends].map((addend) => value + addend)),
    );
    const room = [new Float64Array(sums.length), new Float64Array(sums.length)] as const;
    assert.deepEqual([...sortedSums(values, addends, room)], [...sums.sort()]);
  }));
});
