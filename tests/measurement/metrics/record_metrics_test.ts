import assert from "node:assert/strict";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { recordWith } from "../../support/records.ts";

/** The value of a metric for a record that differs from the usual one in these fields. */
function value(tag: string, fields: Partial<RequestRecord> = {}): number {
  const metric = RECORD_METRICS.find((metric) => metric.tag === tag);
  assert.ok(metric, tag);
  return metric.value(recordWith(fields));
}

function absent(tag: string, fields: Partial<RequestRecord>): void {
  assert.ok(Number.isNaN(value(tag, fields)), tag);
}

const ONE_CHUNK = { chunkNs: Float64Array.of(1.08e9), chunkCount: 1 };
const NO_CHUNK = { chunkNs: new Float64Array(0), chunkCount: 0, firstOutputChunk: -1 };

Deno.test("latency metrics follow the reference's formulas", () => {
  assert.equal(value("time_to_first_token"), 80);
  assert.equal(value("time_to_second_token"), 10);
  assert.equal(value("request_latency"), 100);
  assert.equal(value("inter_token_latency"), 20 / 4);
  assert.equal(value("output_token_throughput_per_user"), 1 / (20e6 / 4 / 1e9));
  assert.equal(value("prefill_throughput_per_user"), 10 / 0.08);
  assert.equal(value("decode_duration"), 20);
  assert.equal(value("e2e_output_token_throughput"), 5 / 0.1);
});

Deno.test("latency metrics are absent where there is nothing to measure", () => {
  for (const tag of ["time_to_first_token", "request_latency", "inter_token_latency"]) {
    absent(tag, NO_CHUNK);
  }
  absent("time_to_second_token", ONE_CHUNK);
  absent("decode_duration", NO_CHUNK);
  assert.equal(value("decode_duration", ONE_CHUNK), 0);
  absent("e2e_output_token_throughput", { outputTokens: NaN });
  absent("inter_token_latency", ONE_CHUNK);
  absent("inter_token_latency", { outputTokens: 1 });
  const atOnce = Float64Array.of(1.08e9, 1.08e9);
  assert.equal(value("inter_token_latency", { chunkNs: atOnce }), 0);
  absent("output_token_throughput_per_user", { chunkNs: atOnce });
});

Deno.test("a reply in one piece has a latency, but nobody knows when its first token came", () => {
  const whole = { ...ONE_CHUNK, isWhole: 1, firstOutputChunk: 0 };
  assert.equal(value("request_latency", whole), 80);
  const unknown = [
    ...["time_to_first_token", "time_to_first_output_token", "effective_time_to_first_token"],
    ...["prefill_throughput_per_user", "inter_token_latency"],
  ];
  for (const tag of unknown) absent(tag, whole);
  assert.equal(value("time_to_first_token", { ...ONE_CHUNK, isWhole: 0 }), 80);
});

Deno.test("time to first output token skips chunks of reasoning alone", () => {
  assert.equal(value("time_to_first_output_token", { firstOutputChunk: 2 }), 100);
  absent("time_to_first_output_token", { firstOutputChunk: -1 });
});

Deno.test("inter token latency divides by the tokens after the first chunk", () => {
  // 3 chunks of 4 tokens, 10 ms apart: 8 tokens took 20 ms.
  const twelve = { outputTokens: 12, firstChunkTokens: 4 };
  assert.equal(value("inter_token_latency", twelve), 20 / 8);
  assert.equal(value("output_token_throughput_per_user", twelve), 400);
  // The server's counts, whatever the client's tokenizer finds.
  const half = { outputTokens: 6, completionTokens: 12, firstChunkTokens: 4 };
  assert.equal(value("inter_token_latency", half), 20 / 8);
  // Never more than the gap between chunks.
  assert.equal(value("inter_token_latency", { outputTokens: 2 }), 10);
});

Deno.test("token metrics add reasoning and output, and are absent rather than zero", () => {
  assert.equal(value("output_sequence_length", { thoughtTokens: 3 }), 8);
  assert.equal(value("output_sequence_length", { outputTokens: NaN, thoughtTokens: 3 }), 3);
  absent("output_sequence_length", { outputTokens: NaN });
  absent("output_token_count", { outputTokens: 0 });
  absent("reasoning_token_count", {});
  assert.equal(value("reasoning_token_count", { thoughtTokens: 3 }), 3);
});

Deno.test("usage differences are percentages of our own counts", () => {
  assert.equal(value("usage_prompt_tokens_diff_pct", { promptTokens: 12 }), 20);
  assert.equal(value("usage_completion_tokens_diff_pct", { completionTokens: 4 }), 20);
  assert.equal(
    value("usage_reasoning_tokens_diff_pct", { reasoningTokens: 3, thoughtTokens: 2 }),
    50,
  );
  absent("usage_prompt_tokens_diff_pct", { inputTokens: 0 });
  absent("usage_completion_tokens_diff_pct", { completionTokens: NaN });
});

Deno.test("output length mismatch is signed", () => {
  assert.equal(value("osl_mismatch_diff_pct", { requestedTokens: 10 }), -50);
  assert.equal(value("osl_mismatch_diff_pct", { requestedTokens: 4 }), 25);
  absent("osl_mismatch_diff_pct", { requestedTokens: NaN });
});

Deno.test("image metrics need images", () => {
  assert.equal(value("image_throughput", { images: 2 }), 20);
  assert.equal(value("image_latency", { images: 2 }), 50);
  assert.equal(value("num_images", { images: 2 }), 2);
  absent("num_images", {});
  absent("image_throughput", {});
  absent("image_latency", {});
});

Deno.test("HTTP metrics add up, and connecting is counted once", () => {
  const fields = {
    startNs: 0,
    blockedNs: 1e6,
    dnsNs: 2e6,
    connectingNs: 4e6,
    sendStartNs: 7e6,
    sendEndNs: 8e6,
    headNs: 50e6,
    firstBodyNs: 51e6,
    lastBodyNs: 91e6,
  };
  assert.equal(value("http_req_sending", fields), 1);
  assert.equal(value("http_req_waiting", fields), 43);
  assert.equal(value("http_req_receiving", fields), 40);
  assert.equal(value("http_req_duration", fields), 84);
  assert.equal(value("http_req_connection_overhead", fields), 7);
  assert.equal(value("http_req_total", fields), 91);
  assert.equal(value("http_req_data_sent", fields), 1);
  assert.equal(value("http_req_data_received", fields), 2);
  assert.equal(value("http_req_chunks_sent", fields), 1);
  assert.equal(value("http_req_chunks_received", fields), 4);
  assert.equal(value("http_req_connection_reused", fields), 1);
});

Deno.test("HTTP metrics survive a reply that comes before the request is sent, or has no body", () => {
  const early = { sendStartNs: 0, sendEndNs: 9e6, firstBodyNs: 5e6, lastBodyNs: 6e6 };
  assert.equal(value("http_req_sending", early), 5);
  assert.equal(value("http_req_waiting", early), 0);
  const bodyless = {
    sendStartNs: 0,
    sendEndNs: 1e6,
    headNs: 5e6,
    firstBodyNs: NaN,
    lastBodyNs: NaN,
  };
  assert.equal(value("http_req_waiting", bodyless), 4);
  assert.equal(value("http_req_receiving", bodyless), 0);
});

Deno.test("slip, wait and latency from the intended start are told apart", () => {
  const fields = { intendedNs: 0, claimedNs: 30e6, startNs: 31e6 };
  assert.equal(value("send_slip", fields), 1);
  assert.equal(value("queue_wait", fields), 30);
  assert.equal(value("credit_to_start_latency", fields), 31);
  assert.equal(value("effective_latency", fields), 131);
  assert.equal(value("effective_time_to_first_token", fields), 111);
});

Deno.test("metrics are headed as the reference titles them", () => {
  const headers = new Map<string, string>(RECORD_METRICS.map(({ tag, header }) => [tag, header]));
  const titles = {
    "usage_prompt_tokens_diff_pct": "Usage Prompt Tokens Diff %",
    "usage_completion_tokens_diff_pct": "Usage Completion Tokens Diff %",
    "usage_reasoning_tokens_diff_pct": "Usage Reasoning Tokens Diff %",
    "osl_mismatch_diff_pct": "OSL Mismatch Diff %",
    "http_req_waiting": "HTTP Waiting (TTFB)",
    "http_req_duration": "HTTP Duration",
    "http_req_total": "HTTP Total Time",
  };
  for (const [tag, title] of Object.entries(titles)) assert.equal(headers.get(tag), title);
});
