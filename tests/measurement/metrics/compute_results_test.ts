import assert from "node:assert/strict";
import {
  distributionOf,
  type MetricResults,
} from "../../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { MetricContext } from "../../../src/measurement/metrics/metric.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const EVERYTHING = {
  ...{ images: true, goodput: true, httpTrace: true, usageDiff: true, arrivalProcess: true },
};

function tableOf(
  records: readonly RequestRecord[],
  context: Partial<MetricContext> = {},
  objectives: Readonly<Record<string, number>> = {},
): RecordTable {
  return addRecords(recordTable({ ...EVERYTHING, ...context }, objectives), records);
}

function single(results: MetricResults, tag: MetricTag): number {
  const result = results.get(tag);
  assert.ok(result !== undefined && "value" in result, tag);
  return Number(result.value);
}

Deno.test("computeResults sums and counts valid requests alone", () => {
  const records = [
    recordWith({ startNs: 1e9, outputTokens: 5, inputTokens: 10 }),
    recordWith({ startNs: 2e9, outputTokens: 7, inputTokens: 20, thoughtTokens: 2 }),
    recordWith({ startNs: 9e9, error: "timeout", inputTokens: 30 }),
  ];
  const results = computeResults(tableOf(records), 0n);
  assert.equal(single(results, "request_count"), 2);
  assert.equal(single(results, "error_request_count"), 1);
  assert.equal(single(results, "completed_request_count"), 3);
  assert.equal(single(results, "request_error_rate"), 1 / 3 * 100);
  assert.equal(single(results, "total_output_tokens"), 12);
  assert.equal(single(results, "total_osl"), 14);
  assert.equal(single(results, "total_isl"), 30);
  assert.equal(single(results, "total_reasoning_tokens"), 2);
  assert.equal(single(results, "total_error_isl"), 30);
  const errorIsl = results.get("error_isl");
  assert.ok(errorIsl !== undefined && "summary" in errorIsl);
  assert.deepEqual([errorIsl.summary.count, errorIsl.summary.avg], [1, 30]);
});

Deno.test("computeResults divides rates by the time from the first start to the last end", () => {
  const records = [
    recordWith({ startNs: 1e9 }),
    recordWith({ startNs: 2e9 }),
    // Whatever became of the first request, and of the last one: the server hung.
    recordWith({ startNs: 0.5e9, endNs: 0.6e9, error: "connect" }),
    recordWith({ startNs: 7e9, endNs: 8.5e9, error: "timeout" }),
  ];
  const results = computeResults(tableOf(records), 10_000n);
  const seconds = 8;
  assert.equal(single(results, "benchmark_duration"), seconds);
  assert.equal(single(results, "request_throughput"), 2 / seconds);
  assert.equal(single(results, "output_token_throughput"), 10 / seconds);
  assert.equal(single(results, "input_token_throughput"), 20 / seconds);
  assert.equal(single(results, "total_token_throughput"), 30 / seconds);
  assert.deepEqual(results.get("min_request_timestamp"), {
    metric: results.get("min_request_timestamp")?.metric,
    value: 500_010_000n,
  });
  assert.equal(single(results, "max_response_timestamp"), 8_500_010_000);
});

Deno.test("computeResults pools the tokens per second that users see", () => {
  const streamed = (firstMs: number, gapsMs: readonly number[], startNs: number): RequestRecord => {
    let atNs = startNs + firstMs * 1e6;
    const chunkNs = [atNs, ...gapsMs.map((ms) => atNs += ms * 1e6)];
    return recordWith({
      startNs,
      chunkNs: Float64Array.from(chunkNs),
      outputTokens: chunkNs.length,
    });
  };
  const table = tableOf([
    streamed(50, Array(19).fill(10), 1e9),
    // Its chunks came almost at once.
    streamed(200, Array(19).fill(0.01), 2e9),
    streamed(50, Array(9).fill(0), 3e9),
    recordWith({ startNs: 4e9, error: "timeout" }),
    recordWith({ startNs: 5e9, chunkNs: Float64Array.of(5.1e9), outputTokens: 1 }),
  ]);
  const results = computeResults(table, 0n);
  assert.ok(Math.abs(single(results, "interactivity") / (47 / 0.19019) - 1) < 1e-12);
  const each = distributionOf(results, "output_token_throughput_per_user");
  assert.ok(Math.abs((each?.avg ?? NaN) / 50_050 - 1) < 1e-9, "of the two that took any time");
  const part = computeResults(table, 0n, { rows: [0, 3] });
  assert.ok(Math.abs(single(part, "interactivity") / 100 - 1) < 1e-12);
  const whole = computeResults(tableOf([recordWith({ isWhole: 1 })], { streaming: false }), 0n);
  assert.equal(whole.has("interactivity"), false);
});

Deno.test("computeResults counts a request as good when it meets every objective", () => {
  const records = [
    recordWith({}), // TTFT 80, latency 100, 200 tokens per second
    recordWith({ chunkNs: Float64Array.of(1.09e9, 1.1e9) }),
    recordWith({ chunkNs: Float64Array.of(1.1e9) }), // no ITL: not good
  ];
  const good = (objectives: Record<string, number>) =>
    single(computeResults(tableOf(records, {}, objectives), 0n), "good_request_count");
  assert.equal(good({ time_to_first_token: 80 }), 1);
  assert.equal(good({ time_to_first_token: 90 }), 2);
  assert.equal(good({ time_to_first_token: 90, inter_token_latency: 5 }), 2);
  assert.equal(good({ time_to_first_token: 1000, inter_token_latency: 1000 }), 2);
  // Larger is better here.
  assert.equal(good({ output_token_throughput_per_user: 300 }), 1);
  const wholeReplies = tableOf(records, { streaming: false }, { time_to_first_token: 1000 });
  assert.equal(single(computeResults(wholeReplies, 0n), "good_request_count"), 0);
  const withFailure = [...records, recordWith({ error: "timeout" })];
  const results = computeResults(tableOf(withFailure, {}, { time_to_first_token: 90 }), 0n);
  assert.equal(single(results, "goodput"), 2 / single(results, "benchmark_duration"));
  assert.equal(single(results, "good_request_fraction"), 0.5, "of failed requests, too");
});

Deno.test("computeResults counts discrepancies above the threshold, not at it", () => {
  const records = [
    recordWith({ promptTokens: 11 }), // 10 %
    recordWith({ promptTokens: 12 }),
    recordWith({ completionTokens: 6 }), // 20 %
    recordWith({ promptTokens: NaN, completionTokens: 9 }), // needs both
    recordWith({ reasoningTokens: 4, thoughtTokens: 2, outputTokens: 3 }),
  ];
  assert.equal(single(computeResults(tableOf(records), 0n), "usage_discrepancy_count"), 3);
});

Deno.test("computeResults tells what share of the prompts came out of the server's cache", () => {
  const records = [
    recordWith({ promptTokens: 100, cachedTokens: 90 }),
    recordWith({ promptTokens: 300, cachedTokens: 10 }),
    recordWith({ promptTokens: 600, cachedTokens: 9, error: "truncated" }),
  ];
  const results = computeResults(tableOf(records), 0n);
  assert.equal(single(results, "total_usage_prompt_cache_read_tokens"), 100);
  assert.equal(single(results, "overall_usage_prompt_cache_read_pct"), 25);
  const none = computeResults(tableOf([recordWith()]), 0n);
  assert.ok(![...none.keys()].some((tag) => tag.includes("cache_read")), "unless it says nothing");
});

Deno.test("computeResults counts output lengths off by more than the smaller limit", () => {
  const records = [
    recordWith({ requestedTokens: 100, outputTokens: 95 }), // exactly 5 %
    recordWith({ requestedTokens: 100, outputTokens: 94 }),
    recordWith({ requestedTokens: 2000, outputTokens: 1949 }), // 51 tokens
    recordWith({ requestedTokens: 2000, outputTokens: 1950 }),
    recordWith({ requestedTokens: 100, outputTokens: 106 }),
  ];
  assert.equal(single(computeResults(tableOf(records), 0n), "osl_mismatch_count"), 3);
});

Deno.test("computeResults pools the gaps between chunks of all requests", () => {
  const result = computeResults(tableOf([recordWith(), recordWith()]), 0n).get(
    "inter_chunk_latency",
  );
  assert.ok(result !== undefined && "summary" in result);
  assert.deepEqual([result.summary.count, result.summary.avg], [4, 10]);
});

Deno.test("computeResults gives each metric only where it applies", () => {
  const has = (tag: MetricTag, context: Partial<MetricContext>, records = [recordWith()]) =>
    computeResults(tableOf(records, context), 0n).has(tag);
  assert.equal(has("time_to_first_token", { streaming: false }), false);
  assert.equal(has("inter_chunk_latency", { streaming: false }), false);
  assert.equal(has("request_latency", { streaming: false }), true);
  assert.equal(has("http_req_total", { httpTrace: false }), false);
  assert.equal(has("usage_prompt_tokens_diff_pct", { usageDiff: false }), false);
  assert.equal(has("usage_discrepancy_count", { usageDiff: false }), false);
  assert.equal(has("goodput", { goodput: false }), false);
  assert.equal(has("image_latency", { images: true }), false);
  assert.equal(has("image_latency", {}, [recordWith({ images: 1 })]), true);
  assert.equal(has("effective_latency", { arrivalProcess: false }), false);
  assert.equal(has("good_request_fraction", { goodput: false }), false);
  assert.equal(has("decode_duration", { streaming: false }), false);
  assert.equal(has("e2e_output_token_throughput", { streaming: false }), true);
  assert.equal(has("input_token_throughput", { tokenizesInput: false }), false);
  assert.equal(has("effective_concurrency", { streaming: false }), true);
  assert.equal(has("effective_decode_concurrency", { streaming: false }), false);
  assert.equal(has("active_prefill_throughput", { tokenizesInput: false }), false);
  assert.equal(has("send_slip", { arrivalProcess: false }), true);
});

Deno.test("computeResults of a run without a valid request still counts the failures", () => {
  const results = computeResults(tableOf([recordWith({ error: "connect" })]), 0n);
  assert.equal(single(results, "request_count"), 0);
  assert.equal(single(results, "error_request_count"), 1);
  assert.equal(results.has("request_throughput"), false);
  assert.equal(results.has("benchmark_duration"), false);
  assert.equal(single(results, "request_error_rate"), 100);
  assert.equal(single(results, "min_request_timestamp"), 1e9);
});

Deno.test("computeResults of a selection looks at its rows and its window", () => {
  const records = [1, 2, 3, 4].map((second) =>
    recordWith({ startNs: second * 1e9, outputTokens: second })
  );
  const results = computeResults(tableOf(records), 0n, { rows: [1, 3], windowSeconds: 10 });
  assert.equal(single(results, "request_count"), 2);
  assert.equal(single(results, "total_osl"), 6);
  assert.equal(single(results, "request_throughput"), 0.2);
  const gaps = results.get("inter_chunk_latency");
  assert.ok(gaps !== undefined && "summary" in gaps && gaps.summary.count === 4);
});

Deno.test("computeResults counts completions and tokens inside of a window", () => {
  // Ten tokens each, one every 100 ms from 100 ms on; one starts each second.
  const records = Array.from({ length: 10 }, (_, i) => {
    const startNs = i * 1e9;
    const chunkNs = Float64Array.from({ length: 10 }, (_, chunk) => startNs + (chunk + 1) * 1e8);
    return recordWith({ startNs, chunkNs, endNs: startNs + 1e9, outputTokens: 10 });
  });
  // Cut off after five tokens, of which nobody counted any.
  const cut = Float64Array.from({ length: 5 }, (_, chunk) => 2e9 + (chunk + 1) * 1e8);
  records.push(
    recordWith({ startNs: 2e9, chunkNs: cut, endNs: 9e9, outputTokens: NaN, error: "cut_off" }),
  );
  const table = tableOf(records);
  const inside = { startNs: 2.45e9, endNs: 6.45e9 };
  const rows = [3, 4, 5, 6];
  const results = computeResults(table, 0n, { rows, inside });
  assert.equal(single(results, "benchmark_duration"), 4);
  assert.equal(single(results, "request_count"), 4);
  // Those that end at 3, 4, 5 and 6 s.
  assert.equal(single(results, "request_throughput"), 1);
  assert.equal(single(results, "input_token_throughput"), 10);
  // 6 tokens of the third, 10 of each other, 4 of the last, and one of what was cut off.
  const tokens = Number(single(results, "output_token_throughput")) * 4;
  assert.ok(Math.abs(tokens - 41) < 0.01, `${tokens}`);
});
