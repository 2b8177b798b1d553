import assert from "node:assert/strict";
import { PayloadTableBuilder } from "../../../../src/load/dataset/payloads/payload_table_builder.ts";
import { JSON_BODY } from "../../../../src/client/endpoint/protocol/body_format.ts";
import { inputsJson } from "../../../../src/report/export/requests/inputs_json.ts";
import { JsonBytes } from "../../../../src/report/export/json_bytes.ts";
import { writeRawRecordLine } from "../../../../src/report/export/requests/raw_record_json.ts";
import {
  type RecordJsonOptions,
  RecordLines,
} from "../../../../src/report/export/requests/record_lines.ts";
import type { FullRecord } from "../../../../src/measurement/metrics/full_record.ts";
import {
  RECORD_METRICS,
  type RecordMetric,
} from "../../../../src/measurement/metrics/record_metrics.ts";
import type { RequestRecord } from "../../../../src/measurement/metrics/request_record.ts";
import { ErrorGroups } from "../../../../src/report/model/error_groups.ts";
import { redactor } from "../../../../src/core/secrets/redactor.ts";
import { recordWith } from "../../../support/records.ts";
import { BASE_EPOCH_NS } from "../../../support/reports.ts";

const encoder = new TextEncoder();

/** Two prompts, the second one of a conversation with a name that needs quoting. */
function payloads() {
  const builder = new PayloadTableBuilder();
  const counts = { inputTokens: 3, outputTokens: -1, images: 0 };
  for (const [text, session] of [["a", 's "1"'], ["é🚀", "s2"], ["warm", "w"]] as const) {
    const body = builder.addSegment(encoder.encode(`{"messages":[{"content":"${text}"}]}`));
    builder.addEntry([body], counts, session);
  }
  return builder.finish(1);
}

const OPTIONS: RecordJsonOptions = {
  baseEpochNs: BASE_EPOCH_NS,
  payloads: payloads(),
  targets: [{
    origin: { protocol: "http:", hostname: "h", port: 80, addresses: [], host: "h" },
    path: "/v1/chat/completions",
    redactedUrl: "http://h/",
    authorization: undefined,
  }],
  models: ["m"],
  metrics: RECORD_METRICS,
  objectives: [],
  blockTokens: 16,
  chunkGaps: true,
  httpTrace: false,
  phaseIndex: { warmup: 0, profiling: 1 },
};

function fullOf(record: RequestRecord, fields: Partial<FullRecord> = {}): FullRecord {
  return {
    record,
    requestId: "11111111-2222-4333-8444-555555555555",
    finishReason: "stop",
    error: record.errorKind < 0 ? undefined : "It took longer than 1 s",
    rawReply: undefined,
    ...fields,
  };
}

function line(full: FullRecord, options: Partial<RecordJsonOptions> = {}): string {
  const values = Float64Array.from(RECORD_METRICS, (metric) => metric.value(full.record));
  const out = new JsonBytes();
  new RecordLines({ ...OPTIONS, ...options }).write(out, full, values);
  return new TextDecoder().decode(out.view);
}

/** The digits that stand behind a key. */
function digitsOf(json: string, key: string): string | undefined {
  return new RegExp(`"${key}":(-?\\d+)[,}]`).exec(json)?.[1];
}

Deno.test("RecordLines.write has AIPerf's keys in its order, and then ours", () => {
  const record = JSON.parse(line(fullOf(recordWith())));
  assert.deepEqual(Object.keys(record), ["metadata", "metrics"]);
  assert.deepEqual(Object.keys(record.metadata), [
    ...["session_num", "x_request_id", "x_correlation_id", "conversation_id", "turn_index"],
    ...["credit_issued_ns", "request_start_ns", "request_ack_ns", "request_end_ns", "worker_id"],
    ...["record_processor_id", "benchmark_phase", "phase_index", "profiling_index", "phase_name"],
    ...["phase_kind", "was_cancelled", "finish_reason", "url"],
  ]);
  assert.equal(record.metadata.conversation_id, 's "1"');
  assert.equal(record.metadata.benchmark_phase, "profiling");
  assert.equal(record.metadata.phase_index, 1);
  assert.equal(record.metadata.url, "http://h/");
});

Deno.test("RecordLines.write writes every time to the nanosecond", () => {
  const text = line(fullOf(recordWith({ startNs: 1e9 + 7, intendedNs: 1e9 + 3 })));
  const at = (ns: number) => String(BASE_EPOCH_NS + BigInt(ns));
  assert.equal(digitsOf(text, "credit_issued_ns"), at(1e9 + 3));
  assert.equal(digitsOf(text, "request_start_ns"), at(1e9 + 7));
  assert.equal(digitsOf(text, "request_ack_ns"), at(1e9 + 7 + 79e6));
  assert.equal(digitsOf(text, "request_end_ns"), at(1e9 + 7 + 101e6));
});

Deno.test("RecordLines.write gives values and units of the metrics that a request has", () => {
  const { metrics } = JSON.parse(line(fullOf(recordWith())));
  assert.deepEqual(metrics.time_to_first_token, { "value": 80, "unit": "ms" });
  assert.deepEqual(metrics.request_latency, { "value": 100, "unit": "ms" });
  assert.deepEqual(metrics.inter_chunk_latency, { "value": [10, 10], "unit": "ms" });
  assert.deepEqual(metrics.http_req_data_sent, { "value": 1, "unit": "KB" });
  assert.ok(!("reasoning_token_count" in metrics));
  assert.ok(!("image_latency" in metrics));
  assert.ok(!("request_count" in metrics), "counts of the run do not belong here");
  const one = recordWith({ chunkNs: Float64Array.of(1.1e9) });
  assert.ok(!("inter_chunk_latency" in JSON.parse(line(fullOf(one))).metrics));
  const whole = JSON.parse(line(fullOf(recordWith()), { chunkGaps: false }));
  assert.ok(!("inter_chunk_latency" in whole.metrics));
});

Deno.test("RecordLines.write tells whether a request is good where objectives say what that is", () => {
  const metric = RECORD_METRICS.find(({ tag }) => tag === "request_latency") as RecordMetric;
  const goodOf = (threshold: number, record: RequestRecord) =>
    JSON.parse(line(fullOf(record), { objectives: [{ metric, threshold }] }))
      .metrics.good_request_count;
  assert.deepEqual(goodOf(100, recordWith()), { "value": 1, "unit": "requests" });
  assert.deepEqual(goodOf(99, recordWith()), { "value": 0, "unit": "requests" });
  assert.equal(goodOf(100, recordWith({ error: "timeout" })), undefined);
  assert.ok(!("good_request_count" in JSON.parse(line(fullOf(recordWith()))).metrics));
});

Deno.test("RecordLines.write of a failed request tells why, and what it was to send", () => {
  const timeout = JSON.parse(line(fullOf(recordWith({ error: "timeout" }))));
  assert.deepEqual(timeout.metrics, { "error_isl": { "value": 10, "unit": "tokens" } });
  assert.deepEqual(timeout.error, {
    "type": "timeout",
    "message": "It took longer than 1 s",
    "kind": "timeout",
  });
  const unknown = recordWith({ error: "timeout", inputTokens: NaN });
  assert.deepEqual(JSON.parse(line(fullOf(unknown))).metrics, {});
});

Deno.test("RecordLines and the summary tell a failure in the same words", () => {
  for (
    const [status, message] of [
      [429, "HTTP 429 Too Many Requests: slow down"],
      [503, "HTTP 503"],
      [307, "HTTP 307 Temporary Redirect, redirects to http://x/ (redirects are not followed)"],
    ] as const
  ) {
    const record = recordWith({ error: "http_status", status });
    const { error } = JSON.parse(line(fullOf(record, { error: message })));
    const groups = new ErrorGroups();
    groups.add(record.errorKind, status, message);
    const [group] = groups.all;
    assert.deepEqual(error, {
      "code": group?.status,
      "type": group?.type,
      "message": group?.message,
      "kind": "http_status",
    });
  }
});

Deno.test("RecordLines.write says which requests were cancelled, and when", () => {
  for (const error of ["cancelled", "cut_off"] as const) {
    const record = recordWith({ error, endNs: 2e9 + 1 });
    const text = line(fullOf(record));
    assert.equal(JSON.parse(text).metadata.was_cancelled, true);
    assert.equal(digitsOf(text, "cancellation_time_ns"), String(BASE_EPOCH_NS + 2_000_000_001n));
  }
  const { metadata } = JSON.parse(line(fullOf(recordWith({ error: "timeout" }))));
  assert.equal(metadata.was_cancelled, false);
  assert.ok(!("cancellation_time_ns" in metadata));
});

Deno.test("RecordLines.write keeps what was measured of a request that was cancelled or cut off", () => {
  for (const error of ["cancelled", "cut_off"] as const) {
    const { metrics } = JSON.parse(line(fullOf(recordWith({ error }))));
    assert.deepEqual(metrics.time_to_first_token, { "value": 80, "unit": "ms" });
    assert.deepEqual(metrics.time_to_second_token, { "value": 10, "unit": "ms" });
    assert.deepEqual(metrics.inter_chunk_latency, { "value": [10, 10], "unit": "ms" });
    assert.equal(metrics.input_sequence_length.value, 10);
    // What the end of the reply would have said.
    const late = ["request_latency", "inter_token_latency", "output_sequence_length"];
    for (const tag of [...late, "http_req_total"]) assert.ok(!(tag in metrics), tag);
    assert.equal("error_isl" in metrics, error === "cut_off", "of failed requests");
    const early = { ...{ chunkNs: new Float64Array(0), chunkCount: 0 }, error };
    const none = JSON.parse(line(fullOf(recordWith({ ...early, firstOutputChunk: -1 }))));
    assert.ok(!("time_to_first_token" in none.metrics));
  }
  for (const error of ["timeout", "truncated", "stream_error"] as const) {
    const { metrics } = JSON.parse(line(fullOf(recordWith({ error }))));
    assert.deepEqual(Object.keys(metrics), ["error_isl"]);
  }
});

Deno.test("RecordLines.write leaves out the times of what did not happen", () => {
  const never = recordWith({
    ...{ startNs: NaN, intendedNs: NaN, headNs: NaN, lastEventNs: NaN, endNs: 5 },
    ...{ chunkNs: new Float64Array(0), target: NaN, error: "worker_lost" },
  });
  const text = line(fullOf(never, { requestId: "", finishReason: null }));
  const { metadata } = JSON.parse(text);
  for (const key of ["credit_issued_ns", "request_start_ns", "request_ack_ns"]) {
    assert.ok(!(key in metadata), key);
  }
  assert.equal(digitsOf(text, "request_end_ns"), String(BASE_EPOCH_NS + 5n));
  assert.equal(metadata.finish_reason, null);
  assert.equal(metadata.url, "");
});

Deno.test("RecordLines.write of a warm-up request says so", () => {
  const { metadata } = JSON.parse(line(fullOf(recordWith({ phase: 0, entry: 2 }))));
  assert.deepEqual(
    [metadata.benchmark_phase, metadata.phase_index, metadata.conversation_id],
    ["warmup", 0, "w"],
  );
  assert.ok(!("profiling_index" in metadata));
});

Deno.test("RecordLines.write adds the HTTP exchange when asked to", () => {
  const text = line(fullOf(recordWith({ blockedNs: 250 })), { httpTrace: true });
  const { trace_data: trace } = JSON.parse(text);
  assert.equal(digitsOf(text, "request_send_end_ns"), String(BASE_EPOCH_NS + 1_001_000_000n));
  assert.equal(trace.response_status_code, 200);
  assert.equal(trace.blocked_ns, 250);
  assert.equal(trace.connection_reused, true);
  assert.equal(digitsOf(text, "connection_reused_ns"), String(BASE_EPOCH_NS + 1_000_000_000n));
  assert.ok(!("tcp_connect_start_ns" in trace));
  assert.deepEqual([trace.request_chunks_count, trace.response_chunks_count], [1, 4]);
  assert.deepEqual(
    [trace.sending_ns, trace.waiting_ns, trace.receiving_ns, trace.duration_ns],
    [1e6, 78e6, 22e6, 101e6],
  );
  const failed = line(
    fullOf(recordWith({ error: "connect", status: 0, headNs: NaN, sendStartNs: NaN })),
    { httpTrace: true },
  );
  const keys = Object.keys(JSON.parse(failed).trace_data);
  assert.ok(!keys.includes("response_status_code") && !keys.includes("request_send_start_ns"));
  assert.ok(!keys.includes("sending_ns") && !keys.includes("duration_ns"));
});

Deno.test("RecordLines.write tells when a connection was opened if that was part of the request", () => {
  const opened = { reused: 0, blockedNs: 1e6, connectingNs: 2e6, sendStartNs: 1.004e9 };
  const traced = (fields: Partial<RequestRecord>) =>
    line(fullOf(recordWith({ ...opened, ...fields })), { httpTrace: true });
  const text = traced({});
  assert.equal(digitsOf(text, "tcp_connect_start_ns"), String(BASE_EPOCH_NS + 1_001_000_000n));
  assert.equal(digitsOf(text, "tcp_connect_end_ns"), String(BASE_EPOCH_NS + 1_003_000_000n));
  assert.equal(digitsOf(text, "connection_reused_ns"), undefined);
  // What was opened before the request took its time before it.
  assert.equal(digitsOf(traced({ connectingNs: 9e6 }), "tcp_connect_start_ns"), undefined);
  // Another transport counts neither.
  const uncounted = traced({ writes: 0, reads: 0 });
  assert.equal(digitsOf(uncounted, "request_chunks_count"), undefined);
  assert.equal(digitsOf(uncounted, "response_chunks_count"), undefined);
});

const STREAM_TYPE = [["content-type", "text/event-stream; charset=utf-8"]] as const;

function raw(full: FullRecord, secrets: readonly string[] = []): string {
  const headers = { "X-Tenant": "a" };
  const out = new JsonBytes();
  writeRawRecordLine(out, full, new RecordLines(OPTIONS), {
    payloads: OPTIONS.payloads,
    format: JSON_BODY,
    headers,
    redact: redactor(secrets),
  });
  return new TextDecoder().decode(out.view);
}

Deno.test("writeRawRecordLine holds the request and each event with the time of its read", () => {
  const body = encoder.encode(
    ': hello\n\ndata: {"a":1}\n\nevent: error\ndata: {"b":\ndata: 2}\n\ndata: [DONE]\n\n',
  );
  // The second event is cut by a read; it counts when it is complete.
  const rawReply = {
    headers: STREAM_TYPE,
    body,
    readEnds: [[15, 100], [40, 200], [999, 300]] as const,
  };
  const text = raw(fullOf(recordWith(), { rawReply }));
  const json = JSON.parse(text);
  assert.deepEqual(Object.keys(json), [
    ...["metadata", "start_perf_ns", "request_headers", "status", "responses", "payload"],
  ]);
  assert.deepEqual(json.responses, [
    { "perf_ns": 100, "packets": [{ "name": "comment", "value": "hello" }] },
    { "perf_ns": 200, "packets": [{ "name": "data", "value": '{"a":1}' }] },
    {
      "perf_ns": 300,
      "packets": [{ "name": "event", "value": "error" }, { "name": "data", "value": '{"b":\n2}' }],
    },
    { "perf_ns": 300, "packets": [{ "name": "data", "value": "[DONE]" }] },
  ]);
  assert.equal(json.start_perf_ns, 1e9);
  assert.deepEqual(json.request_headers, {
    "X-Tenant": "a",
    "X-Request-ID": "11111111-2222-4333-8444-555555555555",
  });
  assert.deepEqual(json.payload, { "messages": [{ "content": "a" }] });
});

Deno.test("writeRawRecordLine holds a body that is no stream as one text", () => {
  const rawReply = {
    headers: [["content-type", "application/json"]] as const,
    body: encoder.encode('{"error":"é"}'),
    readEnds: [[5, 100], [14, 200]] as const,
  };
  const record = recordWith({ error: "http_status", status: 400 });
  const json = JSON.parse(raw(fullOf(record, { rawReply, error: "HTTP 400 Bad Request: é" })));
  assert.deepEqual(json.responses, [
    { "perf_ns": 200, "text": '{"error":"é"}', "content_type": "application/json" },
  ]);
  assert.equal(json.status, 400);
  assert.equal(json.error.message, "é");
});

Deno.test("writeRawRecordLine of a request without a reply has no responses", () => {
  const record = recordWith({ error: "connect", status: 0, startNs: NaN });
  const json = JSON.parse(raw(fullOf(record)));
  assert.deepEqual(json.responses, []);
  assert.equal(json.start_perf_ns, null);
  assert.ok(!("status" in json));
});

Deno.test("writeRawRecordLine lets no secret through, wherever it stands", () => {
  const rawReply = {
    headers: STREAM_TYPE,
    body: encoder.encode('data: {"echo":"key-12345"}\n\n'),
    readEnds: [[99, 1]] as const,
  };
  const full = fullOf(recordWith({ entry: 0 }), { rawReply });
  const text = raw(full, ["key-12345"]);
  assert.ok(!text.includes("key-12345"));
  assert.ok(JSON.parse(text).responses[0].packets[0].value.includes("<redacted>"));
});

Deno.test("inputsJson holds the bodies of the profiling phase, byte by byte", () => {
  const text = [...inputsJson(payloads(), JSON_BODY, redactor([]))].join("");
  assert.deepEqual(JSON.parse(text), {
    "data": [
      { "session_id": 's "1"', "payloads": [{ "messages": [{ "content": "a" }] }] },
      { "session_id": "s2", "payloads": [{ "messages": [{ "content": "é🚀" }] }] },
    ],
  });
  assert.ok(text.includes('{"messages":[{"content":"é🚀"}]}'), "as it is sent");
  const none = [...inputsJson(new PayloadTableBuilder().finish(0), JSON_BODY, redactor([]))].join(
    "",
  );
  assert.deepEqual(JSON.parse(none), { "data": [] });
});

Deno.test("a turn of a list of turns waits for the turn before it", () => {
  const builder = new PayloadTableBuilder();
  builder.beginConversation("trip");
  for (const inputTokens of [32, 70]) {
    builder.addTurn(
      [builder.addSegment(encoder.encode('{"messages":[]}'))],
      { inputTokens, outputTokens: -1, images: 0 },
      { delayNs: 0, timestampNs: NaN, messages: undefined, followsHistory: false },
    );
  }
  const callOf = (turn: number, fields: Partial<RequestRecord>) => {
    const record = recordWith({ ...{ entry: turn, session: 4, turn, turns: 2 }, ...fields });
    return JSON.parse(line(fullOf(record), { payloads: builder.finish(0) })).metadata;
  };
  const first = callOf(0, { intendedNs: 1e9, startNs: 1.5e9, gapNs: NaN, gapClass: NaN });
  assert.deepEqual([first.session, first.call, first.agent, first.kind], [4, 0, "main", "main"]);
  assert.deepEqual([first.after, first.wait, first.gap, first.gap_class], [[], 500, null, null]);
  const facts = { inputTokens: 70, sharedTokens: 40, cachedTokens: 30, gapNs: 2e6, gapClass: 1 };
  const next = callOf(1, facts);
  assert.deepEqual([next.after, next.gap, next.gap_class], [[0], 2, "tool"]);
  // Whole blocks of 16 tokens.
  assert.deepEqual(
    [next.tokens_cached_ideal, next.tokens_new, next.tokens_cached_server],
    [32, 38, 30],
  );
});
