import assert from "node:assert/strict";
import fc from "fast-check";
import { ShiftedValues } from "../../src/own_error/shifted_values.ts";

const most = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Infinity));
const row = fc.record({
  value: fc.integer({ min: 0, max: 40 }),
  divisor: fc.integer({ min: 1, max: 5 }),
  down: most,
  up: most,
});
const cases = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 30 }),
  hasDivisors: fc.boolean(),
  hasMost: fc.boolean(),
  delays: fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 8 }),
  sign: fc.constantFrom(-1 as const, 1 as const),
});

Deno.test("ShiftedValues has each value shifted by the delay or its own most, in order", () => {
  fc.assert(fc.property(cases, ({ rows, hasDivisors, hasMost, delays, sign }) => {
    const sorted = rows.toSorted((a, b) => a.value - b.value);
    const column = (name: keyof typeof rows[number]) => Float64Array.from(sorted, (r) => r[name]);
    const values = new ShiftedValues({
      sorted: column("value"),
      divisors: hasDivisors ? column("divisor") : undefined,
      downMs: hasMost ? column("down") : undefined,
      upMs: hasMost ? column("up") : undefined,
      stride: 1,
    }, sign);
    for (const delay of delays.sort((a, b) => a - b)) {
      values.shiftBy(delay);
      const expected = Float64Array.from(sorted, ({ value, divisor, down, up }) => {
        const own = hasMost ? Math.min(delay, sign < 0 ? down : up) : delay;
        return value + sign * own / (hasDivisors ? divisor : 1);
      }).sort();
      assert.deepEqual(Array.from(expected.keys(), (at) => values.at(at)), [...expected]);
    }
  }));
});
