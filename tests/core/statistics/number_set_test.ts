import fc from "fast-check";
import assert from "node:assert/strict";
import { NumberSet } from "../../../src/core/statistics/number_set.ts";

Deno.test("NumberSet has what was added, and nothing else", () =>
  fc.assert(fc.property(fc.array(fc.nat(100_000)), fc.nat(100_000), (numbers, other) => {
    const set = new NumberSet();
    for (const number of numbers) set.add(number);
    assert.ok(numbers.every((number) => set.has(number)));
    assert.equal(set.has(other), numbers.includes(other));
    assert.equal(set.has(10_000_000), false);
  })));
