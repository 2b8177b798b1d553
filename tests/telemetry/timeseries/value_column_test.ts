import assert from "node:assert/strict";
import fc from "fast-check";
import type { ColumnSpill } from "../../../src/core/statistics/column_spill.ts";
import { ValueColumn } from "../../../src/telemetry/timeseries/value_column.ts";

/** The rows that have a value, read back from the runs; also checks that these are in order. */
function readBack(column: ValueColumn): [row: number, value: number][] {
  const cells: [number, number][] = [];
  let end = 0;
  for (const { startRow, endRow, value } of column.runs()) {
    assert.ok(startRow >= end && endRow > startRow, "runs are in order and not empty");
    end = endRow;
    for (let row = startRow; row < endRow; row++) cells.push([row, value]);
  }
  return cells;
}

const VALUES = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 2, 3) },
  { weight: 4, arbitrary: fc.integer({ min: -300, max: 300 }) },
  { weight: 2, arbitrary: fc.maxSafeInteger() },
  { weight: 2, arbitrary: fc.double({ noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(-0, 2 ** 48, -(2 ** 48), 2 ** 53, 1e308, 5e-324) },
);

/** Steps to the next row: 0 replaces the last one, more than 1 leaves rows out. */
const STEPS = fc.oneof(
  { weight: 8, arbitrary: fc.constant(1) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 2, max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 1_000_000 }) },
);

Deno.test("ValueColumn gives back every value in its row", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(STEPS, VALUES), { maxLength: 60 }), (changes) => {
      const column = new ValueColumn();
      const expected = new Map<number, number>();
      let row = -1;
      for (const [step, value] of changes) {
        row = row < 0 ? step : row + step;
        column.set(row, value);
        expected.set(row, value);
      }
      const cells = readBack(column);
      assert.deepEqual(cells.map(([row]) => row), [...expected.keys()]);
      for (const [row, value] of cells) assert.ok(Object.is(value, expected.get(row)));
      assert.equal(column.lastRow, row);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("ValueColumn gives the same runs however often they are read in between", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(STEPS, VALUES), { maxLength: 30 }), (changes) => {
      const quiet = new ValueColumn();
      const watched = new ValueColumn();
      let row = 0;
      for (const [step, value] of changes) {
        row += step;
        quiet.set(row, value);
        watched.set(row, value);
        readBack(watched);
      }
      assert.deepEqual(readBack(watched), readBack(quiet));
    }),
    { numRuns: 300 },
  );
});

Deno.test("ValueColumn has nothing before its first value", () => {
  const column = new ValueColumn();
  assert.equal(column.lastRow, -1);
  assert.deepEqual(readBack(column), []);
  column.set(7, 0);
  assert.deepEqual(readBack(column), [[7, 0]]);
});

/** Bytes per change of a column with so many changes. */
function bytesPerChange(next: (index: number) => number): number {
  const changes = 20_000;
  const column = new ValueColumn();
  for (let row = 0; row < changes; row++) column.set(row, next(row));
  return column.byteLength / changes;
}

Deno.test("ValueColumn keeps changes in few bytes", () => {
  /** Room that a buffer has before it grows again. */
  const slack = 1.5;
  assert.equal(bytesPerChange(() => 42) * 20_000, 16, "a constant takes one entry");
  assert.ok(bytesPerChange((index) => index) <= 2 * slack, "a counter of requests");
  assert.ok(bytesPerChange((index) => index * 700) <= 3 * slack, "a counter of tokens");
  assert.ok(bytesPerChange((index) => index % 2) <= 2 * slack, "a gauge that goes up and down");
  assert.ok(bytesPerChange((index) => index * 0.017) <= 9 * slack, "a sum of seconds");
  let value = 0;
  assert.ok(bytesPerChange(() => ++value * 1e6) <= 5 * slack, "a counter of bytes");
});

Deno.test("ValueColumn gives back every value also of what was spilled at any time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(STEPS, VALUES, fc.integer({ min: 0, max: 9 })), { maxLength: 400 }),
      (changes) => {
        const kept: number[] = [];
        const spill: ColumnSpill = {
          write: (bytes) => kept.push(...bytes) - bytes.length,
          readInto: (offset, bytes) => bytes.set(kept.slice(offset, offset + bytes.length)),
        };
        const column = new ValueColumn();
        const plain = new ValueColumn();
        let row = -1;
        for (const [step, value, chance] of changes) {
          row = row < 0 ? step : row + step;
          column.set(row, value);
          plain.set(row, value);
          if (chance === 0) column.spill(spill);
        }
        assert.deepEqual(readBack(column), readBack(plain));
      },
    ),
    { numRuns: 500 },
  );
});
