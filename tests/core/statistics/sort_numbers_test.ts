import assert from "node:assert/strict";
import fc from "fast-check";
import { orderEqual, orderOf } from "../../../src/core/statistics/order_of.ts";
import { sortNumbers } from "../../../src/core/statistics/sort_numbers.ts";

/** Enough values for the digits to be sorted by. */
const MANY = 20_000;

const makers: readonly ((place: number, lot: number) => number)[] = [
  (_, lot) => Math.floor(lot * 2 ** 32),
  (_, lot) => Math.floor(lot * 4e9) / 1e6,
  (_, lot) => Math.floor(lot * 3),
  (_, lot) => lot - 0.5,
  (place) => place % 2 === 0 ? 0 : -0,
  (place, lot) => place === 7 ? Infinity : Math.floor(lot * 100),
  () => 5,
];

Deno.test("sortNumbers sorts as the runtime does, bit by bit", () => {
  fc.assert(
    fc.property(fc.constantFrom(...makers), fc.integer({ min: 1 }), (make, seed) => {
      const random = lots(seed);
      const values = Float64Array.from({ length: MANY }, (_, place) => make(place, random()));
      const expected = values.slice().sort();
      const sorted = sortNumbers(values);
      assert.ok(sorted.every((value, place) => Object.is(value, expected[place])));
    }),
    { numRuns: 30 },
  );
});

Deno.test("orderOf puts places in order, equal ones as they came, without those of NaN", () => {
  const all = [...makers, (place: number, lot: number) => 2 ** 52 + Math.floor(lot * 1e12) - place];
  fc.assert(
    fc.property(
      fc.constantFrom(...all),
      fc.constantFrom(0, 5, MANY + 10),
      fc.integer({ min: 1 }),
      (make, length, seed) => {
        const random = lots(seed);
        const values = Float64Array.from(
          { length },
          (_, place) => place % 11 === 3 ? NaN : make(place, random()),
        );
        const expected = [...values.keys()].filter((place) => !Number.isNaN(values[place]))
          .sort((a, b) => compared(values[a] as number, values[b] as number) || a - b);
        const order = orderOf(values);
        assert.deepEqual([...order], expected);
        orderEqual(values, order, (a, b) => b - a);
        expected.sort((a, b) => compared(values[a] as number, values[b] as number) || b - a);
        assert.deepEqual([...order], expected);
      },
    ),
    { numRuns: 30 },
  );
});

function compared(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lots(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
