import assert from "node:assert/strict";
import type { DatasetPlan } from "../../../src/config/plan/run_plan.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { COUNT_METRICS, SHARE_METRICS } from "../../../src/measurement/metrics/run_metrics.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { cachedShareNote } from "../../../src/report/model/cached_share_note.ts";

type Synthetic = Extract<DatasetPlan, { source: "synthetic" }>;

const REQUESTS = 100;
const UNIQUE: Synthetic = {
  source: "synthetic",
  ...{ inputTokensMean: 1000, inputTokensStddev: 0, outputTokensMean: 5, outputTokensStddev: 0 },
  ...{ entries: REQUESTS, warmupEntries: 0, salt: 3 },
};

/** The note of a run whose replies report this share. */
function note(percent: number | undefined, dataset: DatasetPlan, promptTokens = 1000) {
  const usage = RECORD_METRICS.find(({ tag }) => tag === "usage_prompt_tokens");
  assert.ok(usage);
  const results = new Map([
    ["usage_prompt_tokens", {
      metric: usage,
      summary: summarize(new Float64Array(REQUESTS).fill(promptTokens)),
    }],
    ["request_count", { metric: COUNT_METRICS.requestCount, value: REQUESTS }],
    ...(percent === undefined ? [] : [[
      "overall_usage_prompt_cache_read_pct",
      { metric: SHARE_METRICS.promptCacheReadPct, value: percent },
    ]]),
  ] as never) as MetricResults;
  return cachedShareNote({ plan: { dataset, phases: [] }, results, metrics: undefined });
}

Deno.test("cachedShareNote says where unique prompts came from a cache", () => {
  assert.match(note(98, UNIQUE) ?? "", /^Servers took 98 % of the prompt tokens .* at most 2 %/);
  assert.equal(note(0, UNIQUE), undefined);
  assert.equal(note(4, UNIQUE), undefined);
  assert.equal(note(undefined, UNIQUE), undefined);
  // The chat template has 60 tokens that all prompts begin with.
  assert.equal(note(20, { ...UNIQUE, inputTokensMean: 240 }, 300), undefined);
  assert.ok(note(50, { ...UNIQUE, inputTokensMean: 240 }, 300));
});

Deno.test("cachedShareNote plans what prompts share on purpose", () => {
  const prompts = { prefixes: { count: 2, tokens: 1000 } };
  const shared = { ...UNIQUE, prompts };
  assert.equal(note(48, shared, 2000), undefined);
  assert.match(note(5, shared, 2000) ?? "", /5 % .* at least 45 %/);
  assert.match(note(90, shared, 2000) ?? "", /90 % .* at most 51 %/);
  const { salt: _, ...repeated } = UNIQUE;
  assert.equal(note(90, { ...repeated, entries: 10 }), undefined);
  assert.ok(note(90, repeated), "each prompt is sent once");
});
