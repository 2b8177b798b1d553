import fc from "fast-check";
import assert from "node:assert/strict";
import { packed } from "../../../src/core/statistics/packed_piece.ts";

const numbers = fc.oneof(
  fc.array(fc.constantFrom(0, 1, -0, NaN)),
  fc.array(fc.oneof(fc.integer(), fc.constant(NaN))),
  fc.array(fc.integer({ min: 0, max: 5e9 }).map((ns) => ns / 1e6)),
  fc.array(fc.constantFrom(7e15, 7e15 + 254, 7e15 + 255, 7e15 + 65_534, 7e15 + 2 ** 32, NaN)),
  fc.array(fc.double()),
);

Deno.test("packed gives back every value bit for bit", () =>
  fc.assert(
    fc.property(numbers, fc.nat(3), (list, offset) => {
      const into = new Float64Array(offset + list.length).fill(5);
      const piece = packed(Float64Array.from(list));
      assert.equal(piece.length, list.length);
      piece.unpack(piece.codes, into.subarray(offset));
      assert.ok([...into].every((value, i) => Object.is(value, i < offset ? 5 : list[i - offset])));
    }),
    { numRuns: 1000 },
  ));
