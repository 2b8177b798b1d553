import assert from "node:assert/strict";
import { valueOf } from "../../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { COST_METRICS } from "../../../src/measurement/metrics/run_metrics.ts";
import { finishedRun } from "../../support/run_views.ts";

const SECOND = 1e9;

/** Two requests within a second, the second one too slow to be good. */
async function resultsOf(costPerHour: number | undefined) {
  const { records } = await finishedRun(
    [0, 1].map((index) => ({
      startNs: SECOND,
      chunkNs: Float64Array.of(1.25e9, index === 0 ? 1.5e9 : 2e9),
    })),
    { options: { goodput: "latency:600", ...(costPerHour === undefined ? {} : { costPerHour }) } },
  );
  return computeResults(records.profiling, 0n);
}

Deno.test("computeResults divides what the servers cost by what came of it", async () => {
  const results = await resultsOf(3600);
  const value = (tag: Parameters<typeof valueOf>[1]): number => valueOf(results, tag) ?? NaN;
  // One second of 3600 an hour.
  assert.equal(value("benchmark_duration"), 1);
  assert.equal(value("total_cost"), 1);
  assert.equal(value("cost_per_request"), 0.5);
  assert.equal(value("cost_per_good_request"), 1);
  const [tokensIn, tokensOut] = [value("total_isl"), value("total_osl")];
  assert.ok(tokensIn > 0 && tokensOut > 0);
  assert.equal(value("cost_per_million_output_tokens"), 1e6 / tokensOut);
  assert.equal(value("cost_per_million_input_tokens"), 1e6 / tokensIn);
  assert.equal(value("cost_per_million_tokens"), 1e6 / (tokensIn + tokensOut));
});

Deno.test("computeResults knows no cost without a price", async () => {
  const results = await resultsOf(undefined);
  for (const { tag } of Object.values(COST_METRICS)) assert.equal(results.get(tag), undefined, tag);
});
