import assert from "node:assert/strict";
import {
  type ClientRecord,
  parseClientRecords,
} from "../../../scripts/bench/truth/client_records.ts";
import { parseServedRequests } from "../../../scripts/bench/truth/served_requests.ts";
import {
  type Statistic,
  type TrueStatistics,
  trueStatistics,
} from "../../../scripts/bench/truth/true_statistics.ts";

const START_NS = 1_795_317_198_677_668_564n;
const MS = 1_000_000n;

function record(changes: Partial<ClientRecord> = {}): ClientRecord {
  return {
    requestId: "a",
    startNs: START_NS,
    isValid: true,
    inputTokens: 7,
    outputTokens: 3,
    tokensAfterFirst: 2,
    chunks: 3,
    ttftMs: 60,
    ...changes,
  };
}

/** A line of the target: writes so many milliseconds after the client's start. */
function line(requestId: string, startNs: bigint, writesMs: readonly number[]): string {
  const at = (ms: number) => startNs + BigInt(Math.round(ms * 1e6));
  return `${[requestId, at(1), at(2), ...writesMs.map(at)].join(" ")}\n`;
}

function value(truth: TrueStatistics, tag: string, statistic: Statistic = "avg"): number {
  return truth.metrics.get(tag)?.[statistic] ?? NaN;
}

Deno.test("parseServedRequests keeps the digits of each time", () => {
  const text = `a ${START_NS} ${START_NS + 1n} ${START_NS + 3n} ${START_NS + 12_345n}\n`;
  const served = parseServedRequests(text).get("a");
  assert.equal(served?.arrivalNs, START_NS);
  assert.deepEqual([...served?.writesNs ?? []], [3, 12_345]);
});

Deno.test("parseServedRequests takes the answered one of two tries", () => {
  const answered = line("a", START_NS + 9n * MS, [50]);
  const refused = line("a", START_NS, []);
  for (const text of [answered + refused, refused + answered]) {
    assert.equal(parseServedRequests(text).get("a")?.writesNs.length, 1);
  }
});

Deno.test("parseServedRequests refuses a line that is cut", () => {
  assert.throws(() => parseServedRequests("a 12\n"), SyntaxError);
  assert.throws(() => parseServedRequests("a 12 13 x\n"), SyntaxError);
});

Deno.test("parseClientRecords reads start, validity and chunks of the measured phase", () => {
  const text = [
    { phase: "warmup", error: undefined },
    { phase: "profiling", error: undefined },
    { phase: "profiling", error: { code: 500 } },
  ].map(({ phase, error }, index) =>
    JSON.stringify({
      metadata: { "x_request_id": `r${index}`, "benchmark_phase": phase, "request_start_ns": 0 },
      metrics: {
        "time_to_first_token": { value: 12.5 },
        "output_sequence_length": { value: 4 },
        "input_sequence_length": { value: 9 },
        "inter_chunk_latency": { value: [1, 0, 2] },
      },
      error,
    }).replace('"request_start_ns":0', `"request_start_ns":${START_NS}`)
  ).join("\n");
  const records = parseClientRecords(text);
  assert.deepEqual(records.map(({ requestId }) => requestId), ["r1", "r2"]);
  assert.deepEqual(records.map(({ isValid }) => isValid), [true, false]);
  const [first] = records;
  assert.equal(first?.startNs, START_NS);
  assert.equal(first?.chunks, 4);
  assert.equal(first?.outputTokens, 4);
  assert.equal(first?.tokensAfterFirst, 3);
  assert.equal(first?.ttftMs, 12.5);
});

Deno.test("parseClientRecords takes times to be divided by what the client divides them by", () => {
  const tokensAfterFirst = (decodeMs: number, itlMs: number) =>
    parseClientRecords(JSON.stringify({
      metadata: { "x_request_id": "a", "benchmark_phase": "profiling", "request_start_ns": 1 },
      metrics: {
        "output_sequence_length": { value: 24 },
        "decode_duration": { value: decodeMs },
        "inter_token_latency": { value: itlMs },
      },
    }))[0]?.tokensAfterFirst;
  assert.equal(tokensAfterFirst(79.35, 3.45), 23);
  assert.equal(tokensAfterFirst(79.359, 3.6072), 22, "the first chunk brought two");
  assert.equal(tokensAfterFirst(0, 0), 23, "all came at once");
});

Deno.test("trueStatistics measures from the client's start to the target's writes", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 54, 60]));
  const truth = trueStatistics([record()], served, 1);
  assert.equal(truth.requests, 1);
  assert.equal(value(truth, "time_to_first_token"), 50);
  assert.equal(value(truth, "time_to_second_token"), 4);
  assert.equal(value(truth, "request_latency"), 60);
  assert.equal(value(truth, "inter_token_latency"), 5);
  assert.equal(value(truth, "output_token_throughput_per_user"), 200);
  assert.equal(value(truth, "interactivity"), 200);
  assert.equal(value(truth, "inter_chunk_latency", "p99"), 4 + 0.99 * 2);
  assert.equal(value(truth, "request_throughput"), 1 / 0.06);
  assert.equal(value(truth, "output_token_throughput"), 3 / 0.06);
  assert.equal(truth.earliestMs, 0);
});

Deno.test("trueStatistics interpolates percentiles as the product does", () => {
  const records = [10, 20, 40].map((_, index) => record({ requestId: `r${index}` }));
  const lines = [10, 20, 40].map((ms, index) => line(`r${index}`, START_NS, [ms, ms + 1, ms + 2]));
  const truth = trueStatistics(records, parseServedRequests(lines.join("")), 1);
  assert.equal(value(truth, "time_to_first_token", "p50"), 20);
  assert.equal(value(truth, "time_to_first_token", "p90"), 36);
});

Deno.test("trueStatistics finds the write of each chunk where one holds several", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 60]));
  const truth = trueStatistics(
    [record({ chunks: 11, outputTokens: 11, tokensAfterFirst: 10 })],
    served,
    10,
  );
  assert.equal(value(truth, "time_to_second_token"), 0);
  assert.equal(value(truth, "inter_token_latency"), 1);
  assert.equal(value(truth, "request_latency"), 60);
  assert.equal(value(truth, "inter_chunk_latency"), 1);
});

Deno.test("trueStatistics takes a time for each event where there are as many", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 50, 60]));
  const truth = trueStatistics([record()], served, 2);
  assert.equal(value(truth, "time_to_second_token"), 0);
  assert.equal(value(truth, "request_latency"), 60);
});

Deno.test("trueStatistics divides by tokens, not by chunks", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 54, 60]));
  const truth = trueStatistics([record({ outputTokens: 11, tokensAfterFirst: 10 })], served, 1);
  assert.equal(value(truth, "inter_token_latency"), 1);
  const two = trueStatistics([record({ outputTokens: 12, tokensAfterFirst: 10 })], served, 1);
  assert.equal(value(two, "inter_token_latency"), 1, "the first chunk brought two");
});

Deno.test("trueStatistics has no time between tokens of a reply in one piece", () => {
  const served = parseServedRequests(line("a", START_NS, [50]));
  const truth = trueStatistics([record({ chunks: 1 })], served, 1);
  assert.equal(value(truth, "time_to_first_token"), 50);
  assert.equal(truth.metrics.has("inter_token_latency"), false);
  assert.equal(truth.metrics.has("time_to_second_token"), false);
});

Deno.test("trueStatistics leaves out rates of what took no time", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 50, 50]));
  const truth = trueStatistics([record()], served, 1);
  assert.equal(value(truth, "inter_token_latency"), 0);
  assert.equal(truth.metrics.has("output_token_throughput_per_user"), false);
});

Deno.test("trueStatistics counts failed requests' starts, but not their times", () => {
  const failed = record({ requestId: "b", startNs: START_NS - 40n * MS, isValid: false });
  const served = parseServedRequests(line("a", START_NS, [50, 54, 60]));
  const truth = trueStatistics([record(), failed], served, 1);
  assert.equal(truth.requests, 1);
  assert.equal(truth.unmatched, 0);
  assert.equal(value(truth, "benchmark_duration"), 0.1);
});

Deno.test("trueStatistics tells of requests that the target saw otherwise", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 60]));
  const truth = trueStatistics([record(), record({ requestId: "b" })], served, 1);
  assert.equal(truth.requests, 0);
  assert.equal(truth.unmatched, 2);
  assert.match(truth.problem ?? "", /^a has 3 chunks, but the target wrote 2 times$/);
});

Deno.test("trueStatistics notices a first token before its write", () => {
  const served = parseServedRequests(line("a", START_NS, [50, 54, 60]));
  assert.equal(trueStatistics([record({ ttftMs: 49.5 })], served, 1).earliestMs, 0.5);
});
