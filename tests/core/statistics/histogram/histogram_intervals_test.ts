import assert from "node:assert/strict";
import {
  type HistogramIntervals,
  histogramIntervals,
} from "../../../../src/core/statistics/histogram/histogram_intervals.ts";
import { scrape, windowOf } from "../histogram_windows.ts";

const BOUNDS = ["1", "2", "+Inf"];

/** Per interval: its sum, and the counts of all buckets. */
function listed({ buckets, sums }: HistogramIntervals): (number | number[])[][] {
  return Array.from(sums, (sum, interval) => [
    sum,
    buckets.map((bucket) => bucket.counts[bucket.intervals.indexOf(interval)] ?? 0),
  ]);
}

Deno.test("histogramIntervals gives counts per bucket and the sum of each interval", () => {
  const intervals = histogramIntervals(scrape(BOUNDS, [[0.5, 1.5], [], [3, 0.25, 0.25]]));
  assert.deepEqual(listed(intervals), [[2, [1, 1, 0]], [3.5, [2, 0, 1]]]);
  assert.equal(intervals.count, 5);
  assert.deepEqual(
    intervals.buckets.map(({ lower, upper, total }) => [lower, upper, total]),
    [[0, 1, 3], [1, 2, 1], [2, Infinity, 1]],
  );
});

Deno.test("histogramIntervals gives a lowest bucket that may be negative no lower end", () => {
  const { buckets } = histogramIntervals(scrape(["-1", "0", "+Inf"], [[-3, 1]]));
  assert.equal(buckets[0]?.lower, -Infinity);
});

Deno.test("histogramIntervals starts anew after a reset", () => {
  const intervals = histogramIntervals(windowOf(BOUNDS, [
    { cumulative: [4, 4, 4], sum: 2, count: 4 },
    { cumulative: [5, 5, 5], sum: 2.5, count: 5 },
    { cumulative: [1, 2, 2], sum: 1.75, count: 2 },
  ]));
  assert.deepEqual(listed(intervals), [[0.5, [1, 0, 0]], [1.75, [1, 1, 0]]]);
});

Deno.test("histogramIntervals joins an interval whose sum came too early with the next", () => {
  const intervals = histogramIntervals(windowOf(BOUNDS, [
    { cumulative: [0, 0, 0], sum: 0, count: 0 },
    { cumulative: [1, 1, 1], sum: 2, count: 1 },
    { cumulative: [1, 2, 2], sum: 2, count: 2 },
    { cumulative: [2, 3, 3], sum: 2.5, count: 3 },
  ]));
  assert.deepEqual(listed(intervals), [[2, [1, 1, 0]], [0.5, [1, 0, 0]]]);
});

Deno.test("histogramIntervals joins an interval whose sum came too late with the one before", () => {
  const intervals = histogramIntervals(windowOf(BOUNDS, [
    { cumulative: [0, 0, 0], sum: 0, count: 0 },
    { cumulative: [1, 1, 1], sum: 0.9, count: 1 },
    { cumulative: [2, 2, 2], sum: 1.8, count: 2 },
    { cumulative: [2, 3, 3], sum: 2.6, count: 3 },
  ]));
  assert.deepEqual(listed(intervals), [[0.9, [1, 0, 0]], [1.7000000000000002, [1, 1, 0]]]);
});

Deno.test("histogramIntervals gives up a sum that no neighbour makes possible", () => {
  const intervals = histogramIntervals(windowOf(BOUNDS, [
    { cumulative: [0, 0, 0], sum: 0, count: 0 },
    { cumulative: [1, 1, 1], sum: 50, count: 1 },
    { cumulative: [2, 2, 2], sum: 50, count: 2 },
  ]));
  assert.deepEqual(listed(intervals), [[NaN, [2, 0, 0]]]);
});

Deno.test("histogramIntervals lets observations wait for the next sum", () => {
  const row = (count: number, sum: number) => ({ cumulative: [count, count, count], sum, count });
  const waiting = [row(0, 0), row(1, NaN), row(2, NaN), row(3, 1.5), row(4, NaN)];
  assert.deepEqual(listed(histogramIntervals(windowOf(BOUNDS, waiting))), [
    [1.5, [3, 0, 0]],
    [NaN, [1, 0, 0]],
  ]);
  const late = [row(0, NaN), row(1, 7), row(2, 7.5)];
  assert.deepEqual(listed(histogramIntervals(windowOf(BOUNDS, late))), [
    [NaN, [1, 0, 0]],
    [0.5, [1, 0, 0]],
  ]);
});

Deno.test("histogramIntervals keeps what waited for a sum when the server restarts", () => {
  const row = (count: number, sum: number) => ({ cumulative: [count, count, count], sum, count });
  const rows = [row(5, 1), row(7, NaN), row(1, 0.5), row(2, 1)];
  assert.deepEqual(listed(histogramIntervals(windowOf(BOUNDS, rows))), [
    [NaN, [2, 0, 0]],
    [0.5, [1, 0, 0]],
    [0.5, [1, 0, 0]],
  ]);
});

Deno.test("histogramIntervals passes over rows that are no numbers", () => {
  const intervals = histogramIntervals(windowOf(BOUNDS, [
    { cumulative: [0, 0, 0], sum: 0, count: 0 },
    { cumulative: [1, NaN, 1], sum: 0.5, count: 1 },
    { cumulative: [2, 2, 2], sum: 1, count: 2 },
  ]));
  assert.deepEqual(listed(intervals), [[1, [2, 0, 0]]]);
});

Deno.test("histogramIntervals counts in the missing last bucket what the count has more", () => {
  const intervals = histogramIntervals(windowOf(["1", "2"], [
    { cumulative: [0, 0], sum: 0, count: 0 },
    { cumulative: [1, 1], sum: 5.5, count: 2 },
  ]));
  assert.deepEqual(listed(intervals), [[5.5, [1, 0, 1]]]);
});
