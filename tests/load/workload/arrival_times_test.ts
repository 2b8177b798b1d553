import assert from "node:assert/strict";
import { ArrivalTimes } from "../../../src/load/workload/arrival_times.ts";

Deno.test("ArrivalTimes gives any arrival of a sequence, and runs it once while numbers ascend", () => {
  let runs = 0;
  const times = new ArrivalTimes(() => {
    runs++;
    return [10, 20, 20, 45][Symbol.iterator]();
  });
  assert.deepEqual([0, 1, 1, 3].map((index) => times.at(index)), [10, 20, 20, 45]);
  assert.equal(runs, 1);
  assert.deepEqual([2, 0, 3].map((index) => times.at(index)), [20, 10, 45]);
});

Deno.test("ArrivalTimes has no time for what comes after the end of its sequence", () => {
  const times = new ArrivalTimes(() => [10][Symbol.iterator]());
  assert.deepEqual([1, 5, 0, 2].map((index) => times.at(index)), [
    Infinity,
    Infinity,
    10,
    Infinity,
  ]);
});
