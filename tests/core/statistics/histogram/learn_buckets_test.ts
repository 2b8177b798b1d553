import assert from "node:assert/strict";
import { randomNormal } from "d3-random";
import { learnBuckets } from "../../../../src/core/statistics/histogram/learn_buckets.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { readFixture } from "../../../support/fixtures.ts";
import { scrape, windowOf } from "../histogram_windows.ts";

interface LearningCase {
  readonly les: readonly string[];
  readonly sums: readonly number[];
  readonly counts: readonly number[];
  readonly "bucket_counts": readonly (readonly number[])[];
  readonly "start_idx": number;
  readonly result: Readonly<
    Record<string, {
      readonly "observation_count": number;
      readonly "observed_means": readonly number[];
      readonly mean: number;
      readonly variance: number | null;
    }>
  >;
}

readFixture<LearningCase[]>("server_metrics/functions/bucket_stats.json").forEach((item, index) => {
  Deno.test(`learnBuckets learns what AIPerf does: case ${index}`, () => {
    const rows = item.sums.map((sum, row) => ({
      cumulative: item.bucket_counts[row] as readonly number[],
      sum,
      count: item.counts[row] as number,
    }));
    const learned = learnBuckets(windowOf(item.les, rows.slice(item.start_idx)));
    assert.equal(learned.size, Object.keys(item.result).length);
    for (const [le, expected] of Object.entries(item.result)) {
      const bucket = learned.get(item.les.indexOf(le));
      assert.ok(bucket !== undefined, le);
      assert.equal(bucket.count, expected.observation_count);
      near(bucket.mean, expected.mean);
      assert.equal(bucket.intervalMeans.length, expected.observed_means.length);
      expected.observed_means.forEach((mean, i) => near(bucket.intervalMeans[i], mean));
      if (expected.variance === null) assert.equal(bucket.varianceOfMeans, null);
      else near(bucket.varianceOfMeans, expected.variance);
    }
  });
});

function near(actual: number | null | undefined, expected: number): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.abs(expected), `${actual} is not ${expected}`);
}

Deno.test("learnBuckets scales the scatter of interval means to that of observations", () => {
  // Defect 10 of AIPerf: with 40 observations per interval its variance is 40 times too small.
  const normal = randomNormal.source(randomStream(1, "learn"))(0.15, 0.02);
  const intervals = Array.from({ length: 200 }, () => Array.from({ length: 40 }, normal));
  const learned = learnBuckets(scrape(["0.05", "0.25", "+Inf"], intervals)).get(1);
  assert.ok(learned?.variance && learned.varianceOfMeans);
  assert.ok(Math.abs(learned.variance / 0.02 ** 2 - 1) < 0.25, `${learned.variance}`);
  assert.ok(learned.varianceOfMeans < 0.02 ** 2 / 25, `${learned.varianceOfMeans}`);
});

Deno.test("learnBuckets learns no variance from two intervals, nor from several buckets at once", () => {
  const learned = learnBuckets(
    scrape(["1", "2", "+Inf"], [[0.5], [0.7, 0.9], [1.5, 0.5], [], [5]]),
  );
  assert.deepEqual([...learned.keys()], [0, 2]);
  assert.equal(learned.get(0)?.variance, null);
  assert.equal(learned.get(0)?.mean, (0.5 + 0.7 + 0.9) / 3);
  assert.equal(learned.get(2)?.mean, 5);
});

Deno.test("learnBuckets passes over intervals without a sum or after a reset", () => {
  const learned = learnBuckets(windowOf(["1", "+Inf"], [
    { cumulative: [5, 5], sum: 2, count: 5 },
    { cumulative: [1, 1], sum: 0.3, count: 1 },
    { cumulative: [2, 2], sum: NaN, count: 2 },
    { cumulative: [3, 3], sum: 0.9, count: 3 },
    { cumulative: [4, 4], sum: 1.5, count: 4 },
  ]));
  assert.deepEqual(learned.get(0)?.intervalMeans, [0.6]);
});

Deno.test("learnBuckets counts in the last bucket where the page has no _count", () => {
  const { sums, ...rest } = scrape(["1", "+Inf"], [[0.2, 0.4], [0.3]]);
  const learned = learnBuckets({ ...rest, sums, counts: sums.map(() => NaN) });
  assert.equal(learned.get(0)?.count, 3);
});
