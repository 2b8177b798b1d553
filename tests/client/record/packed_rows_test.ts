import assert from "node:assert/strict";
import fc from "fast-check";
import { packRows, unpackRows } from "../../../src/client/record/packed_rows.ts";

const ANY_NUMBER = fc.double();
/** Numbers as columns of records have them. */
const COLUMN: fc.Arbitrary<fc.Arbitrary<number>> = fc.oneof(
  ANY_NUMBER.map((value) => fc.constant(value)),
  fc.constant(ANY_NUMBER),
  fc.constant(fc.constantFrom(0, -0, NaN, 1, 65_534, 65_535, 65_536)),
  fc.constant(fc.constantFrom(-5, NaN, 2 ** 32 - 7, 2 ** 32 - 6, 2 ** 32 - 5)),
  fc.maxSafeInteger().map((from) =>
    fc.integer({ min: 0, max: 70_000 }).map((more) =>
      Math.min(Number.MAX_SAFE_INTEGER, from + more)
    )
  ),
);

Deno.test("unpackRows gives back what packRows was given, bit for bit", () => {
  fc.assert(
    fc.property(
      fc.array(COLUMN, { minLength: 1, maxLength: 9 })
        .chain((columns) => fc.array(fc.tuple(...columns), { maxLength: 40 }))
        .filter((rows) => rows.length > 0),
      fc.nat({ max: 3 }),
      (rows, spare) => {
        const width = rows[0]?.length ?? 0;
        const values = Float64Array.from(rows.flat());
        const roomy = new Float64Array(values.length + spare * width).fill(7.5);
        roomy.set(values);
        const bytes = packRows(roomy, rows.length, width);
        const back = unpackRows(bytes, rows.length, width);
        assert.deepEqual([...back], [...values]);
        assert.ok(bytes.length <= 8 * values.length + 9 * width);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("packRows of records of one server takes a third of their bytes", () => {
  const [count, width] = [32, 12];
  const rows = Float64Array.from(
    { length: count * width },
    (_, at) => at % width < 8 ? at % width : 5e9 + 1e6 * at,
  );
  assert.ok(packRows(rows, count, width).length < rows.byteLength / 3);
});

Deno.test("packRows of no rows gives none", () => {
  assert.equal(unpackRows(packRows(new Float64Array(0), 0, 3), 0, 3).length, 0);
});
