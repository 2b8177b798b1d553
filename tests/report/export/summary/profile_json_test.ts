import assert from "node:assert/strict";
import { ERROR_KINDS } from "../../../../src/client/record/error_kind.ts";
import {
  profileJson,
  shortestProfileJson,
} from "../../../../src/report/export/summary/profile_json.ts";
import type { ProfileReport } from "../../../../src/report/model/profile_report.ts";
import { INVALID_REASONS } from "../../../../src/measurement/answers/invalid_reason.ts";
import {
  type SessionResults,
  sessionResults,
} from "../../../../src/measurement/metrics/session_results.ts";
import { addRecords, recordTable } from "../../../support/record_tables.ts";
import { recordWith } from "../../../support/records.ts";
import { slicesJson } from "../../../../src/report/export/summary/slices_json.ts";
import { ErrorGroups } from "../../../../src/report/model/error_groups.ts";
import { statisticsOf } from "../../../support/recomputed.ts";
import { BASE_EPOCH_NS, reportWith, resultsOf, someRecords } from "../../../support/reports.ts";

/** The order of AIPerf 0.13 as far as we have its keys: what comes first, metrics before settings. */
const LEADING = [
  "schema_version",
  "aiperf_version",
  "benchmark_id",
  "request_throughput",
  "request_latency",
  "request_count",
  "time_to_first_token",
  "time_to_second_token",
  "inter_token_latency",
  "output_token_throughput",
  "output_token_throughput_per_user",
  "output_sequence_length",
  "input_sequence_length",
  "goodput",
  "good_request_count",
  "output_token_count",
  "inter_chunk_latency",
  "total_output_tokens",
  "benchmark_duration",
  "total_isl",
  "total_osl",
  "error_request_count",
  "error_isl",
  "total_error_isl",
  "input_config",
  "run_info",
  "was_cancelled",
  "is_complete",
  "error_summary",
  "start_time",
  "end_time",
  "warmup_metrics",
];

const STATISTICS = [
  ...["unit", "avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"],
  ...["min", "max", "std", "count", "sum"],
];

Deno.test("profileJson has AIPerf's keys in its order, then the other metrics, then ours", () => {
  const json = JSON.parse(profileJson(reportWith({ warmupResults: resultsOf(someRecords()) })));
  const keys = Object.keys(json);
  assert.deepEqual(keys.slice(0, LEADING.length), LEADING);
  const own = [
    ...[
      "requests",
      "ended_early",
      "ended_early_reason",
      "client_health",
      "server_reconciliation",
      "tokenizer",
    ],
    ...["inferometer", "notes"],
  ];
  assert.deepEqual(keys.slice(-own.length), own);
  for (const key of keys.slice(LEADING.length, -own.length)) {
    assert.ok("unit" in json[key] && "avg" in json[key], `${key} is no metric`);
  }
  assert.equal(json.schema_version, "1.4");
  assert.match(json.aiperf_version, /^inferometer\/\d+\.\d+\.\d+/);
  assert.deepEqual(json.run_info, {
    "benchmark_id": "0123456789ab",
    "random_seed": 42,
    "trial": 0,
    "cli_command": "inferometer profile --model m",
  });
});

Deno.test("profileJson gives the statistics of a metric under AIPerf's names, unrounded", () => {
  const json = JSON.parse(profileJson(reportWith()));
  const { unit, ...latency } = json.request_latency;
  assert.deepEqual(Object.keys(json.request_latency), STATISTICS);
  assert.equal(unit, "ms");
  for (const [name, value] of Object.entries(statisticsOf([100, 110, 130]))) {
    assert.ok(Math.abs(latency[name] - value) <= 1e-12 * value, `${name}: ${latency[name]}`);
  }
  assert.deepEqual(json.request_count, { "unit": "requests", "avg": 3 });
  assert.deepEqual(json.error_request_count, { "unit": "requests", "avg": 1 });
  // From 1 s to 1.15 + 0.13 s: three requests.
  assert.deepEqual(json.benchmark_duration, { "unit": "sec", "avg": 0.28 });
  assert.deepEqual(json.request_throughput, { "unit": "requests/sec", "avg": 3 / 0.28 });
});

Deno.test("profileJson writes every time to the nanosecond or microsecond", () => {
  const text = profileJson(reportWith());
  const { start_time: start, end_time: end } = JSON.parse(text);
  assert.equal(start, "2026-11-21T04:59:17.230500Z");
  assert.equal(end, "2026-11-21T04:59:19.730500Z");
  const digits = /"min_request_timestamp": \{\s+"unit": "ns",\s+"avg": (\d+)/.exec(text)?.[1];
  assert.equal(digits, String(BASE_EPOCH_NS + 1_000_000_000n));
});

Deno.test("profileJson leaves internal metrics and absent ones out", () => {
  const results = new Map(resultsOf([]));
  const [internal] = [...resultsOf(someRecords()).values()];
  assert.ok(internal !== undefined);
  results.set("goodput", { ...internal, metric: { ...internal.metric, flags: ["INTERNAL"] } });
  const json = JSON.parse(profileJson(reportWith({ results })));
  assert.ok(!("goodput" in json));
  assert.ok(!("request_latency" in json), "no request had one");
  assert.ok(!("warmup_metrics" in json), "there was no warm-up");
  assert.deepEqual(json.request_count, { "unit": "requests", "avg": 0 });
  assert.deepEqual(json.error_request_count, { "unit": "requests", "avg": 0 });
});

Deno.test("profileJson counts cancelled requests apart, and says why a run ended early", () => {
  const requests = { ...reportWith().requests, cancelled: 5 };
  const stalls = [{ startSeconds: 12.25, seconds: 5 }];
  const json = JSON.parse(profileJson(reportWith({
    requests,
    ...{ endedEarly: "nobody was there", endReason: "unreachable" },
    clientHealth: { ...reportWith().clientHealth, stalls },
  })));
  assert.deepEqual([json.requests.failed, json.requests.cancelled], [1, 5]);
  assert.deepEqual([json.ended_early, json.ended_early_reason], [
    ...["nobody was there", "unreachable"],
  ]);
  assert.deepEqual(json.client_health.stalls, [{ "start_seconds": 12.25, "seconds": 5 }]);
  const whole = JSON.parse(profileJson(reportWith()));
  assert.deepEqual([whole.ended_early, whole.ended_early_reason], [null, null]);
});

Deno.test("profileJson calls a client ok only if its measured error is small, too", () => {
  const healthWith = (verdict: "valid" | "suspect" | "invalid", problems: string[] = []) => {
    const measurementError = { verdict, metrics: new Map(), reasons: [] };
    const clientHealth = { ...reportWith().clientHealth, ok: problems.length === 0, problems };
    const json = JSON.parse(profileJson(reportWith({ measurementError, clientHealth })));
    return [json.client_health.ok, json.client_health.problems];
  };
  const text = (verdict: string) => `the client's own error is ${verdict}: see measurement_error`;
  assert.deepEqual(healthWith("valid"), [true, []]);
  assert.deepEqual(healthWith("suspect"), [false, [text("suspect")]]);
  assert.deepEqual(healthWith("invalid", ["slow"]), [false, ["slow", text("invalid")]]);
  assert.deepEqual(healthWith("valid", ["slow"]), [false, ["slow"]]);
});

Deno.test("profileJson groups failures as AIPerf does", () => {
  const groups = new ErrorGroups();
  for (let i = 0; i < 3; i++) {
    const message = "HTTP 429 Too Many Requests: slow down";
    groups.add(ERROR_KINDS.indexOf("http_status"), 429, message);
  }
  groups.add(ERROR_KINDS.indexOf("truncated"), 200, "The stream ended without [DONE]");
  const json = JSON.parse(profileJson(reportWith({ errors: groups.all })));
  assert.deepEqual(json.error_summary, [
    {
      "error_details": {
        "code": 429,
        "type": "Too Many Requests",
        "message": "slow down",
        "kind": "http_status",
      },
      "count": 3,
    },
    {
      "error_details": {
        "type": "truncated",
        "message": "The stream ended without [DONE]",
        "kind": "truncated",
      },
      "count": 1,
    },
  ]);
});

Deno.test("slicesJson has a flat object for each slice, times first", () => {
  const results = resultsOf(someRecords());
  const slice = { startNs: BASE_EPOCH_NS, endNs: BASE_EPOCH_NS + 1n, results };
  const text = slicesJson(reportWith({
    slices: [{ ...slice, isComplete: true }, { ...slice, isComplete: false }],
  }));
  assert.ok(text.includes(`"start_ns": ${BASE_EPOCH_NS},\n      "end_ns": ${BASE_EPOCH_NS + 1n},`));
  const json = JSON.parse(text);
  assert.deepEqual(Object.keys(json), ["timeslices", "input_config"]);
  const [complete, cut] = json.timeslices;
  assert.ok(!("is_complete" in complete));
  assert.equal(cut.is_complete, false);
  assert.deepEqual(Object.keys(cut).slice(0, 3), ["start_ns", "end_ns", "is_complete"]);
  assert.deepEqual(Object.keys(complete.request_latency), STATISTICS);
  assert.deepEqual(complete.request_count, { "unit": "requests", "avg": 3 });
  assert.deepEqual(json.input_config, { "models": { "items": [{ "name": "m" }] } });
});

Deno.test("shortestProfileJson has the main metrics in 8 kB, whatever went wrong", () => {
  const report = reportWith();
  const long = "a long story; ".repeat(500);
  const many = <T>(one: T): T[] => Array<T>(100).fill(one);
  const text = shortestProfileJson({
    ...report,
    warmupResults: report.results,
    cliCommand: long,
    notes: many(long),
    errors: many({ ...report.errors[0], message: long, count: 7 } as typeof report.errors[0]),
    measurementError: {
      verdict: "suspect",
      metrics: new Map([...report.results.keys()].map((tag) => [tag, {
        avg: { lower: 1, upper: 2, verdict: "suspect" },
      }])),
      reasons: many(long),
    },
    clientHealth: {
      ...report.clientHealth,
      ok: false,
      problems: many(long),
      loopLagMs: many(report.clientHealth.sendSlipMs),
      stalls: many({ startSeconds: 1.25, seconds: 5 }),
    },
  });
  assert.ok(text.length < 8192, `${text.length} characters`);
  const short = JSON.parse(text);
  const whole = JSON.parse(profileJson(report));
  assert.deepEqual(short.time_to_first_token, whole.time_to_first_token);
  assert.deepEqual(short.error_summary[0].error_details.kind, "timeout");
  assert.match(short.notes[0], /no room on the disk/);
  assert.equal(short.measurement_error.verdict, "suspect");
  for (const key of Object.keys(whole)) {
    assert.ok(key in short || whole[key].unit !== undefined, `${key} is missing and no metric`);
  }
});

Deno.test("shortestProfileJson has no agents and no examples of answers", () => {
  const report = reportWith();
  const many = <T>(make: (place: number) => T): T[] =>
    Array.from({ length: 100 }, (_, at) => make(at));
  const flaw = "JSON differs at /".padEnd(200, "x");
  const reason = INVALID_REASONS[0];
  const groups = many((at) => ({
    ...{ kind: `kind ${at}`, rows: [], succeeded: 3, failed: 0, results: report.results },
  }));
  const table = addRecords(recordTable(), [recordWith({ session: 0, turn: 0, turns: 2 })]);
  const sessions = {
    ...sessionResults(table),
    ...{ depths: groups, kinds: groups },
  } as SessionResults;
  const counts = { yes: 1, no: 100, unchecked: 0 };
  const answers = {
    ...{ anomalies: { byKind: {}, checked: 2, replies: 0 }, correct: counts, valid: counts },
    wrong: many((request) => ({ request, flaw })),
    invalid: {
      ...{ byReason: { [reason]: 100 }, tokens: 5 },
      examples: many((request) => ({ request, reason, flaw })),
    },
  } as unknown as ProfileReport["answers"];
  const agentSampling = new Map(many((at) => [
    `agent.kind ${at}`,
    new Map([...report.results.keys()].map((tag) => [tag, {
      avg: { lower: 1, upper: 2, verdict: "proven" as const },
    }])),
  ]));
  const text = shortestProfileJson({ ...report, sessions, agentSampling, answers });
  assert.ok(text.length < 8192, `${text.length} characters`);
  const short = JSON.parse(text);
  assert.deepEqual([short.sessions.depths, short.sessions.kinds], [[], []]);
  assert.equal(short.answers.wrong.count, 100);
  assert.equal(short.answers.invalid.count, 100);
});
