import assert from "node:assert/strict";
import fc from "fast-check";
import { analyzeRows } from "../../../src/report/trace_analysis/analyze_rows.ts";
import { PrefixCache } from "../../../src/report/trace_analysis/prefix_cache.ts";
import type { AnalysedRow } from "../../../src/report/trace_analysis/trace_rows.ts";

const BLOCK = 10;

async function analysis(rows: readonly Partial<AnalysedRow>[], cacheTokens: number[] = []) {
  const none = {
    session: undefined,
    timestampMs: undefined,
    inputTokens: undefined,
    outputTokens: undefined,
    hashIds: undefined,
  };
  const source = async function* (): AsyncGenerator<AnalysedRow> {
    for (const row of rows) yield { ...none, ...row };
  };
  const settings = { file: "f", format: "x", blockSize: () => BLOCK, cacheTokens };
  return await analyzeRows(source(), settings);
}

const prompts = fc.array(fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }), { minLength: 1 });

Deno.test("analyzeRows finds the hits of a cache without end", async () => {
  await fc.assert(fc.asyncProperty(prompts, async (prompts) => {
    const seen = new Set<number>();
    let hits = 0;
    for (const prompt of prompts) {
      const end = prompt.findIndex((id) => !seen.has(id));
      hits += (end < 0 ? prompt.length : end) * BLOCK;
      prompt.forEach((id) => seen.add(id));
    }
    const rows = prompts.map((hashIds) => ({ hashIds, inputTokens: hashIds.length * BLOCK }));
    const { prefix_cache: cache } = await analysis(rows, [1_000_000, 2 * BLOCK]);
    assert.equal(cache?.infinite_cache.hit_tokens, hits);
    assert.equal(cache.unique_blocks, seen.size);
    assert.equal(cache.caches[0]?.hit_tokens, hits, "large enough for all");
    assert.ok((cache.caches[1]?.hit_tokens ?? 0) <= hits);
  }));
});

Deno.test("prefixCache gives up what was used longest ago, the last block of a prompt first", () => {
  const cache = new PrefixCache(3);
  assert.equal(cache.serve([1, 2]), 0);
  assert.equal(cache.serve([5, 6]), 0);
  // 2 is gone.
  assert.equal(cache.serve([1, 2]), 1);
  assert.equal(cache.serve([5, 6]), 1);
  assert.equal(new PrefixCache(0).serve([1]), 0);
});

Deno.test("analyzeRows counts a last block that is not full by its tokens", async () => {
  const row = { hashIds: [1, 2], inputTokens: 13 };
  const { prefix_cache: cache } = await analysis([row, row]);
  assert.equal(cache?.infinite_cache.hit_tokens, 13);
  assert.equal(cache.infinite_cache.hit_rate, 0.5);
  assert.equal(cache.blocks_used_once, 0);
  assert.equal(cache.mean_uses_of_shared_blocks, 2);
});

Deno.test("analyzeRows tells rates over time, whatever the order of the rows", async () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({
    timestampMs: 5000 + ((i * 37) % 100) * 1000,
    inputTokens: 2,
    outputTokens: 1,
  }));
  const { time, conversations, input_length: inputs, prefix_cache } = await analysis(rows);
  assert.equal(conversations, 100);
  assert.equal(inputs?.avg, 2);
  assert.equal(prefix_cache, null);
  assert.equal(time?.duration_s, 99);
  assert.equal(time.requests_per_s, 1);
  assert.equal(time.interval_s, 10);
  assert.equal(time.peak_requests_per_s, 1);
  assert.deepEqual(time.intervals.requests, new Array(10).fill(10));
  assert.deepEqual(time.intervals.input_tokens, new Array(10).fill(20));
});

Deno.test("analyzeRows tells no peak below the mean of a trace that is shorter than an interval", async () => {
  const rows = Array.from({ length: 16 }, (_, i) => ({ timestampMs: i * 60 }));
  const { time } = await analysis(rows);
  assert.equal(time?.interval_s, 1);
  assert.deepEqual(time.intervals.requests, [16]);
  assert.equal(time.requests_per_s, 15 / 0.9);
  assert.equal(time.peak_requests_per_s, 15 / 0.9);
});

Deno.test("analyzeRows takes traces without anything in them", async () => {
  const { time, input_length: inputs, conversations } = await analysis([
    { session: "a" },
    { session: "a" },
    {},
  ]);
  assert.deepEqual([time, inputs, conversations], [null, null, 2]);
  const at = await analysis([{ timestampMs: 7 }]);
  assert.equal(at.time?.duration_s, 0);
});
