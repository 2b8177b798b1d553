import assert from "node:assert/strict";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { cacheTruth } from "../../../src/report/model/cache_truth.ts";

/** Results of one request by what its reply reports. */
function reported(promptTokens: number, cachedTokens: number): MetricResults {
  return new Map([
    ["usage_prompt_tokens", promptTokens],
    ["usage_prompt_cache_read_tokens", cachedTokens],
  ].map(([tag, value]) => [tag, {
    metric: RECORD_METRICS.find((metric) => metric.tag === tag),
    summary: summarize(new Float64Array([value as number])),
  }])) as unknown as MetricResults;
}

Deno.test("cacheTruth takes replies above the ideal for cached replies only in sessions of turns", () => {
  const sums = { requests: 1, promptTokens: 1000, reusableTokens: 990, concurrentTokens: 0 };
  const prefix = {
    ...{ ...sums, idealTokens: 400, lruTokens: NaN, blockSize: 10, capacityTokens: undefined },
    ...{ cachedTokens: 600, missedTokens: 0, missedConcurrentTokens: 0 },
  };
  const input = { prefix, results: reported(1000, 600), roles: undefined };
  assert.equal(cacheTruth(input).values["hit_rate"], null);
  const { values, reasons } = cacheTruth({ ...input, hasTurns: true });
  assert.equal(values["hit_rate"], 0.6);
  assert.equal(values["ideal_hit_rate"], null);
  assert.match(reasons["achieved_of_ideal"] ?? "", /later turns contain replies/);
  // Below the ideal, it is an ideal of sessions as well.
  const fewer = cacheTruth({ ...input, results: reported(1000, 300), hasTurns: true });
  assert.ok(Math.abs((fewer.values["achieved_of_ideal"] as number) - 0.75) < 1e-9);
});

Deno.test("cacheTruth compares with caches that keep replies where servers have more than prompts", () => {
  const sums = {
    ...{ requests: 1, promptTokens: 1000, reusableTokens: 990, concurrentTokens: 0 },
    ...{ idealTokens: 400, lruTokens: NaN, cachedTokens: 600, missedTokens: 0 },
    missedConcurrentTokens: 0,
  };
  const withReplies = { ...sums, idealTokens: 640, missedTokens: 40, lruTokens: 620 };
  const prefix = { ...sums, blockSize: 10, capacityTokens: 5000, withReplies };
  const truth = (cached: number) =>
    cacheTruth({ prefix, results: reported(1000, cached), roles: undefined, hasTurns: true })
      .values;
  assert.deepEqual([truth(600)["ideal_hit_rate"], truth(600)["ideal_lru_hit_rate"]], [0.64, 0.62]);
  assert.equal(truth(600).misses["evicted_at_most"], 40);
  assert.equal(truth(390)["ideal_hit_rate"], 0.4, "no cached reply is seen");
});
