import assert from "node:assert/strict";
import { percentile } from "../../../src/core/statistics/percentile.ts";
import { summarize, SUMMARY_PERCENTILES } from "../../../src/core/statistics/summarize.ts";
import { readFixture } from "../../support/fixtures.ts";

interface Kernel {
  readonly values: readonly number[];
  readonly percentiles: readonly number[];
  readonly mean: number;
  readonly "std_ddof1": number;
}

readFixture<Kernel[]>("server_metrics/functions/percentile_kernels.json").forEach((item, index) => {
  Deno.test(`percentile and summarize of gauge samples equal numpy's: case ${index}`, () => {
    const values = Float64Array.from(item.values);
    const sorted = values.slice().sort();
    SUMMARY_PERCENTILES.forEach((p, i) => {
      assert.equal(percentile(sorted, p), item.percentiles[i]);
    });
    const { avg, std } = summarize(values, { ddof: 1 });
    assert.ok(Math.abs(avg - item.mean) <= 1e-14 * Math.abs(item.mean));
    // One sample has no deviation: numpy is not asked for it.
    const deviation = values.length === 1 ? 0 : std;
    assert.ok(Math.abs(deviation - item.std_ddof1) <= 1e-14 * item.std_ddof1);
  });
});
