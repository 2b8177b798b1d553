/** Times between tokens as other tools define them. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { weightedSummary } from "../../../src/core/statistics/weighted_summary.ts";
import {
  type ItlDialectResult,
  ItlDialectTable,
} from "../../../src/measurement/metrics/itl_dialects.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { recordWith } from "../../support/records.ts";

/** A reply of chunks that bring so many tokens each, a token in `gapNs`, of four bytes a token. */
function streamOf(
  sizes: readonly number[],
  gapNs: number,
  fields: Partial<RequestRecord> = {},
): RequestRecord {
  let atNs = 1e9 + 50e6;
  const chunkNs = sizes.map((size, index) => {
    if (index > 0) atNs += size * gapNs;
    return atNs;
  });
  const tokens = sizes.reduce((sum, size) => sum + size, 0);
  return recordWith({
    ...{ chunkNs: Float64Array.from(chunkNs), outputTokens: tokens, completionTokens: tokens },
    ...{ textBytes: 4 * tokens, firstChunkBytes: 4 * (sizes[0] ?? 0) },
    ...fields,
  });
}

const CASES: readonly (readonly [name: string, sizes: readonly number[]])[] = [
  ["a token a chunk", Array(20).fill(1)],
  ["four tokens a chunk", Array(8).fill(4)],
  ["a short last chunk", [4, 4, 4, 4, 1]],
  ["one token from prefill, then what speculation accepts", [1, 3, 4, 2, 5, 1, 4]],
  ["a long first chunk", [9, 2, 2, 2, 2]],
];

/** The share of values that are no larger, each as often as it weighs. */
function expanded(values: readonly number[], weights: readonly number[], p: number): number {
  const all = values.flatMap((value, at) => Array<number>(weights[at] as number).fill(value))
    .sort((a, b) => a - b);
  return all[Math.max(0, Math.ceil(p / 100 * all.length - 1e-9) - 1)] as number;
}

Deno.test("weightedSummary is the summary of values that stand there as often as they weigh", () => {
  const pair = fc.tuple(
    fc.double({ min: 0, max: 100, noNaN: true }),
    fc.integer({ min: 0, max: 9 }),
  );
  fc.assert(fc.property(fc.array(pair, { minLength: 1, maxLength: 30 }), (pairs) => {
    const values = pairs.map(([value]) => value);
    const weights = pairs.map(([, weight]) => weight);
    fc.pre(weights.some((weight) => weight > 0));
    const found = weightedSummary(Float64Array.from(values), Float64Array.from(weights));
    const plain = summarize(
      Float64Array.from(pairs.flatMap(([value, weight]) => Array<number>(weight).fill(value))),
    );
    assert.ok(Math.abs(found.avg - plain.avg) < 1e-9);
    assert.ok(Math.abs(found.std - plain.std) < 1e-6);
    for (const p of [50, 90, 95, 99] as const) {
      assert.equal(found[`p${p}`], expanded(values, weights, p), `p${p}`);
    }
  }));
});

Deno.test("every dialect is what its tool's own formula makes of the requests", () => {
  const records = CASES.map(([, sizes], at) =>
    streamOf(sizes, (at + 1) * 1e6, {
      // The client's tokenizer counts one more; one server says nothing.
      outputTokens: sizes.reduce((sum, size) => sum + size, 1),
      ...(at === 2 ? { completionTokens: NaN, requestedTokens: 30 } : {}),
      lastEventNs: 2e9 + at,
    })
  );
  const table = new ItlDialectTable();
  records.forEach((record) => table.add(record));
  const gaps = records.flatMap(({ chunkNs }) =>
    Array.from(chunkNs).slice(1).map((ns, at) => (ns - (chunkNs[at] as number)) / 1e6)
  );
  const results = table.results(summarize(Float64Array.from(gaps)));
  const found = (tool: string, metric: string): ItlDialectResult => {
    const result = results.find((one) => one.tool === tool && one.metric === metric);
    assert.ok(result !== undefined, `${tool} ${metric}`);
    return result;
  };
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const near = (value: number, expected: number, text: string) =>
    assert.ok(Math.abs(value / expected - 1) < 1e-12, `${text}: ${value}, not ${expected}`);
  const spans = records.map(({ chunkNs }) =>
    ((chunkNs.at(-1) as number) - (chunkNs[0] as number)) / 1e6
  );
  const own = CASES.map(([, sizes]) => sizes.reduce((sum, size) => sum + size, 1));
  const server = own.map((count, at) => at === 2 ? NaN : count - 1);
  near(found("AIPerf", "ITL").avg, mean(spans.map((ms, i) => ms / ((own[i] ?? 0) - 1))), "AIPerf");
  const vllm = server.map((count, i) => Number.isNaN(count) ? own[i] as number : count);
  near(found("vLLM", "TPOT").avg, mean(spans.map((ms, i) => ms / ((vllm[i] ?? 0) - 1))), "vLLM");
  near(found("vLLM", "ITL").avg, mean(gaps), "vLLM ITL");
  assert.equal(found("vLLM", "ITL").count, gaps.length);
  assert.equal(found("vLLM", "ITL").p50, found("SGLang", "ITL").p50);
  const sglang = server.map((count) => Number.isNaN(count) ? 30 : count);
  const tails = records.map(({ chunkNs, lastEventNs }) =>
    (lastEventNs - (chunkNs[0] as number)) / 1e6
  );
  near(found("SGLang", "TPOT").avg, mean(tails.map((ms, i) => ms / ((sglang[i] ?? 0) - 1))), "SGL");
  const guide = server.map((count, i) =>
    Number.isNaN(count) ? (records[i]?.chunkNs.length ?? 0) : count
  );
  const total = guide.reduce((sum, count) => sum + count - 1, 0);
  near(
    found("GuideLLM", "ITL").avg,
    spans.reduce((sum, ms) => sum + ms, 0) / total,
    "GuideLLM",
  );
  const perRequest = spans.map((ms, i) => ms / ((guide[i] ?? 0) - 1));
  const weights = guide.map((count) => count - 1);
  assert.equal(found("GuideLLM", "ITL").p50, expanded(perRequest, weights, 50));
  const whole = records.map(({ chunkNs, startNs }) => ((chunkNs.at(-1) as number) - startNs) / 1e6);
  near(
    found("GuideLLM", "TPOT").avg,
    whole.reduce((sum, ms) => sum + ms, 0) / guide.reduce((sum, count) => sum + count, 0),
    "GuideLLM TPOT",
  );
});
