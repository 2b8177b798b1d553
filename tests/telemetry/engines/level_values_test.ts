import assert from "node:assert/strict";
import {
  labelNumber,
  rowLevels,
  shareScale,
  summedLevels,
} from "../../../src/telemetry/engines/level_values.ts";

const SECONDS = 1e9;

function line(seconds: readonly number[], levels: readonly number[]) {
  return {
    timesNs: Float64Array.from(seconds, (second) => second * SECONDS),
    levels: Float64Array.from(levels),
  };
}

function window(start: number, end: number) {
  return { startNs: start * SECONDS, endNs: end * SECONDS };
}

Deno.test("rowLevels puts the instances of an endpoint together, row by row", () => {
  const instances = () => [
    [{ startRow: 0, endRow: 3, value: 1 }],
    [{ startRow: 1, endRow: 2, value: 4 }, { startRow: 2, endRow: 4, value: 0 }],
  ];
  assert.deepEqual([...rowLevels(instances(), 5, "sum")], [1, 5, 1, 0, NaN]);
  assert.deepEqual([...rowLevels(instances(), 5, "mean")], [1, 2.5, 0.5, 0, NaN]);
  assert.deepEqual([...rowLevels(instances(), 5, "max")], [1, 4, 1, 0, NaN]);
});

Deno.test("summedLevels adds up endpoints at every scrape of one of them", () => {
  const a = line([0, 1, 2, 3], [1, 2, 3, 4]);
  const b = line([0.5, 1.5, 2.5], [10, 20, 30]);
  // At 1 s: 2 of the first one, and 10 that were scraped half a second before.
  assert.deepEqual([...summedLevels([a, b], window(1, 2.5))], [12, 22, 23, 33]);
  assert.deepEqual([...summedLevels([a], window(1, 2))], [2, 3]);
  assert.deepEqual([...summedLevels([], window(1, 2))], []);
});

Deno.test("summedLevels does not count an endpoint that is no longer scraped", () => {
  const dead = line([0, 1, 2], [5, 5, 5]);
  const alive = line([0, 1, 2, 3, 4, 5], [1, 1, 1, 1, 1, 1]);
  assert.deepEqual([...summedLevels([dead, alive], window(0, 5))], [6, 6, 6, 6, 1, 1]);
});

Deno.test("summedLevels knows nothing of times at which no level was known", () => {
  assert.deepEqual([...summedLevels([line([0, 1], [NaN, 3])], window(0, 1))], [3]);
  const lines = [line([0, 1], [NaN, 3]), line([0.5], [NaN])];
  assert.deepEqual([...summedLevels(lines, window(0, 1))], [3]);
});

Deno.test("labelNumber reads numbers in labels, and nothing else", () => {
  const labels = [["block_size", "16"], ["dtype", "auto"]] as const;
  assert.equal(labelNumber(labels, "block_size"), 16);
  assert.equal(labelNumber(labels, "dtype"), undefined);
  assert.equal(labelNumber(labels, "x"), undefined);
});

Deno.test("shareScale makes shares of percentages", () => {
  assert.equal(shareScale({ unit: "ratio" }, 1), 1);
  assert.equal(shareScale({ unit: "ratio" }, 63), 0.01);
  assert.equal(shareScale({ unit: "requests" }, 63), 1);
});
