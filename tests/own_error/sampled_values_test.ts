import assert from "node:assert/strict";
import fc from "fast-check";
import { sampledValues } from "../../src/own_error/sampled_values.ts";

/** Rows with many equal values among them. */
const rows = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 1, max: 3 }),
    fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(Infinity)),
  ),
  { minLength: 1, maxLength: 80, size: "max" },
);

Deno.test("sampledValues takes every so-manieth row in the order of all its columns", () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 300 }), (own, copies) => {
      // Values that no other row has, too.
      const all = Array.from({ length: copies }, (_, copy) => copy % 2 * copy * 61)
        .flatMap((shift) => own.map(([value, ...others]) => [value + shift, ...others] as const));
      const column = (at: 0 | 1 | 2) => Float64Array.from(all, (row) => row[at]);
      const found = sampledValues({
        ...{ values: column(0), divisors: column(1), downMs: undefined, upMs: column(2) },
      });
      const stride = Math.ceil(all.length / 3000);
      const picked = all
        .toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] - b[2]))
        .filter((_, rank) => rank % stride === 0);
      assert.equal(found.stride, stride);
      assert.deepEqual([...found.sorted], picked.map(([value]) => value));
      assert.deepEqual([...found.divisors ?? []], picked.map(([, divisor]) => divisor));
      assert.deepEqual([...found.upMs ?? []], picked.map(([, , up]) => up));
    }),
    { numRuns: 50 },
  );
});

Deno.test("sampledValues keeps all values where nothing belongs to them", () => {
  const nothing = { divisors: undefined, downMs: undefined, upMs: undefined };
  const values = Float64Array.from({ length: 4000 }, (_, i) => (i * 7) % 4000);
  const { sorted, stride } = sampledValues({ values, ...nothing });
  assert.deepEqual([sorted.length, sorted[1], stride], [4000, 1, 1]);
});
