import assert from "node:assert/strict";
import fc from "fast-check";
import { NumberStore } from "../../src/statistics/number_store.ts";
import { numberColumn } from "../../src/statistics/stored_column.ts";

/** A file in memory. */
function spill() {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  return {
    pieces,
    write: (bytes: Uint8Array) => pieces.push(Uint8Array.from(bytes)) - 1,
    read: (offset: number) => (pieces[offset] as Uint8Array<ArrayBuffer>).slice(),
  };
}

Deno.test("numberColumn gives back what was put in, wherever that lies", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(70_000), fc.constantFrom("same", "other", "none")), {
        maxLength: 5,
      }),
      fc.constantFrom(undefined, 0, 600_000, Infinity),
      (runs, memoryBytes) => {
        const file = spill();
        const store = memoryBytes === undefined
          ? undefined
          : new NumberStore(() => file, memoryBytes);
        const columns = Array.from({ length: 6 }, () => numberColumn(store));
        const expected: number[] = [];
        for (const [count, kind] of runs) {
          for (let i = 0; i < count; i++) {
            const value = kind === "none" ? NaN : kind === "same" ? 7 : i / 3;
            expected.push(value);
            for (const column of columns) column.push(value);
          }
        }
        for (const column of [...columns, ...columns]) {
          assert.deepEqual(column.values, Float64Array.from(expected));
          assert.equal(column.length, expected.length);
        }
        if (memoryBytes === Infinity) assert.equal(file.pieces.length, 0);
      },
    ),
    { numRuns: 20 },
  );
});
