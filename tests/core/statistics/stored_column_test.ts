import assert from "node:assert/strict";
import fc from "fast-check";
import { NumberStore } from "../../../src/core/statistics/number_store.ts";
import { StoredColumn } from "../../../src/core/statistics/stored_column.ts";

/** A file in memory. */
function spill() {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  return {
    pieces,
    write: (bytes: Uint8Array) => pieces.push(Uint8Array.from(bytes)) - 1,
    readInto: (offset: number, bytes: Uint8Array) => {
      const piece = pieces[offset] as Uint8Array;
      assert.equal(bytes.length, piece.length);
      bytes.set(piece);
    },
  };
}

Deno.test("StoredColumn gives back what was put in, wherever that lies", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(70_000), fc.constantFrom("same", "other", "none")), {
        maxLength: 5,
      }),
      fc.constantFrom(undefined, 0, 600_000, Infinity),
      (runs, memoryBytes) => {
        const file = spill();
        const store = memoryBytes === undefined
          ? new NumberStore(undefined)
          : new NumberStore(() => file, memoryBytes);
        const columns = Array.from({ length: 6 }, () => new StoredColumn(store));
        const expected: number[] = [];
        for (const [count, kind] of runs) {
          for (let i = 0; i < count; i++) {
            expected.push(kind === "none" ? NaN : kind === "same" ? 7 : i / 3);
          }
          const values = Float64Array.from(expected.slice(expected.length - count));
          columns.forEach((column, place) => {
            if (place % 3 === 0) { for (const value of values) column.push(value); }
            else if (place % 3 === 1 || kind === "other") column.pushAll(values);
            else column.pushSame(kind === "none" ? NaN : 7, count);
          });
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

Deno.test("NumberStore keeps in memory what the disk has no room for", () => {
  const file = spill();
  let room = 2;
  const store = new NumberStore(() => ({
    readInto: file.readInto,
    write(bytes) {
      if (room-- === 0) throw new Error("No space left on device");
      return file.write(bytes);
    },
  }), 0);
  const column = new StoredColumn(store);
  const expected = Float64Array.from({ length: 50_000 }, (_, i) => i / 3);
  for (const value of expected) column.push(value);
  assert.equal(file.pieces.length, 2);
  assert.deepEqual(column.copy(), expected);
});

Deno.test("NumberStore gives its file back", () => {
  const calls: string[] = [];
  const open = () => ({ ...spill(), close: () => calls.push("closed") });
  const store = new NumberStore(open, 0);
  store.close();
  assert.deepEqual(calls, [], "there was none");
  const column = new StoredColumn(store);
  for (let i = 0; i < 10_000; i++) column.push(i / 3);
  store.close();
  store.close();
  assert.deepEqual(calls, ["closed"]);
});
