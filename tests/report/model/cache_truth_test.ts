import assert from "node:assert/strict";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { cacheTruth } from "../../../src/report/model/cache_truth.ts";
import { reportOfPages } from "../../support/metrics_pages.ts";

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

Deno.test("cacheTruth believes replies where servers count other shares, as far as prompts allow", () => {
  const page = (queries: number, hits: number): string =>
    [["prefix_cache_queries", queries], ["prefix_cache_hits", hits]]
      .map(([name, value]) =>
        `# TYPE vllm:${name} counter\nvllm:${name}_total{engine="0"} ${value}\n`
      ).join("") +
    "# TYPE vllm:cache_config_info gauge\n" +
    'vllm:cache_config_info{engine="0",block_size="10",num_gpu_blocks="99"} 1\n';
  const { roles } = reportOfPages([[0, page(0, 0)], [1, page(4000, 400)], [2, page(4000, 400)]], {
    ...{ start: 0.5, end: 1.5 },
  });
  const prefix = {
    ...{ requests: 1, promptTokens: 1000, reusableTokens: 990, concurrentTokens: 0 },
    ...{ idealTokens: 400, lruTokens: 400, cachedTokens: 390, missedTokens: 10 },
    ...{ missedConcurrentTokens: 0, blockSize: 10, capacityTokens: 980 },
  };
  const truth = (cached: number, more: object = { prefix }) =>
    cacheTruth({ results: reported(1000, cached), roles, ...more });
  const others = truth(390).values;
  assert.deepEqual([others["hit_rate"], others.source], [0.39, "replies"], "of other clients, too");
  const same = truth(100).values;
  assert.deepEqual([same["hit_rate"], same.source], [0.1, "engines"]);
  assert.equal(truth(0).values["hit_rate"], 0.1, "replies may report 0 of whatever servers have");
  // A router's page without the pair behind it.
  const hidden = truth(990);
  assert.equal(hidden.values["hit_rate"], null);
  assert.match(hidden.reasons["hit_rate"] ?? "", /not in --server-metrics/);
  assert.equal(truth(390, {}).values["hit_rate"], null, "nothing tells which of both is right");
});

Deno.test("cacheTruth counts caches outside of engines before it doubts their counters", () => {
  const page = (count: number): string =>
    [
      ...[["prefix_cache_queries", 1000], ["prefix_cache_hits", 100]],
      ...[["external_prefix_cache_queries", 900], ["external_prefix_cache_hits", 300]],
    ].map(([name, value]) =>
      `# TYPE vllm:${name} counter\nvllm:${name}_total{engine="0"} ${Number(value) * count}\n`
    ).join("");
  const { roles } = reportOfPages([[0, page(0)], [1, page(4)], [2, page(4)]], {
    ...{ start: 0.5, end: 1.5 },
  });
  const sourceOf = (cached: number) =>
    cacheTruth({ results: reported(1000, cached), roles }).values;
  assert.equal(sourceOf(400).source, "engines", "replies have the hits of both");
  assert.notEqual(sourceOf(400)["hit_rate"], null);
  assert.notEqual(sourceOf(100)["hit_rate"], null, "replies have those of engines");
  assert.equal(sourceOf(250)["hit_rate"], null);
});

Deno.test("cacheTruth takes what no cache had as computed where servers do not count it", () => {
  const page = (k: number, counters: Readonly<Record<string, number>>): string =>
    Object.entries(counters).map(([name, value]) =>
      `# TYPE ${name} counter\n${name}_total ${value * k}\n`
    ).join("");
  const shareOf = (counters: Readonly<Record<string, number>>) => {
    const pages = [[0, page(1, counters)], [1, page(2, counters)]] as const;
    const { roles } = reportOfPages(pages, { start: 0.5, end: 1.5 });
    return cacheTruth({ results: new Map(), roles }).values["computed_share"];
  };
  const vllm = {
    "vllm:prefix_cache_queries": 1000,
    "vllm:prefix_cache_hits": 400,
    "vllm:external_prefix_cache_hits": 100,
    "vllm:prompt_tokens": 1000,
  };
  assert.equal(shareOf(vllm), 0.5);
  assert.equal(shareOf({ "sglang:prompt_tokens": 800, "sglang:cached_tokens": 200 }), 0.75);
  const blocks = { "trtllm_kv_cache_reused_blocks": 6, "trtllm_kv_cache_missed_blocks": 4 };
  assert.equal(shareOf(blocks), null, "blocks are no tokens");
  assert.equal(shareOf({ "vllm:prompt_tokens": 1000 }), null);
});
