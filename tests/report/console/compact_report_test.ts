import assert from "node:assert/strict";
import type { ConsoleOptions } from "../../../src/report/console/console_options.ts";
import { consoleReport } from "../../../src/report/console/console_report.ts";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { wrapText } from "../../../src/report/console/wrap_text.ts";
import type { ProfileReport, Reconciliation } from "../../../src/report/model/profile_report.ts";
import {
  endpointOf,
  reportOf,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";
import { recordWith } from "../../support/records.ts";
import {
  NO_REQUESTS,
  reportWith,
  resultsOf,
  someRecords,
  summaryOf,
} from "../../support/reports.ts";

const CONFIG: ProfileReport["inputConfig"] = {
  "models": { "items": [{ "name": "Qwen3-0.6B" }] },
  "endpoint": { "urls": ["http://node1:8000/v1/chat/completions"], "streaming": true },
  "phases": [{ "kind": "profiling", "type": "concurrency", "requests": 160, "concurrency": 16 }],
};

/** A note that is longer than words of a server may be. */
const LONG = `Changed by hand: ${
  Array.from({ length: 40 }, (_, n) => `paused at ${n} s`).join(", ")
}`;

function drawn(report: ProfileReport, options: Partial<ConsoleOptions> = {}): string {
  return consoleReport(report, {
    style: "compact",
    width: 80,
    color: false,
    directory: "/runs/one",
    traceTiming: false,
    serverMetrics: undefined,
    ...options,
  });
}

/** A run whose requests all went well. */
function goodReport(fields: Partial<ProfileReport> = {}): ProfileReport {
  return reportWith({
    inputConfig: CONFIG,
    errors: [],
    requests: { ...NO_REQUESTS, sent: 160, succeeded: 160 },
    tokenizer: "Qwen/Qwen3-0.6B",
    files: ["profile_export_aiperf.json", "inputs.json"],
    ...fields,
  });
}

const VLLM_PAGES: readonly TimedPage[] = [0, 1, 2].map((second) => [
  second,
  `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${14 + second}
# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting 0
# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc ${0.006 + second / 1000}
# TYPE vllm:num_preemptions counter\nvllm:num_preemptions_total 0
# TYPE vllm:request_queue_time_seconds histogram
vllm:request_queue_time_seconds_bucket{le="0.001"} ${second * 80}
vllm:request_queue_time_seconds_bucket{le="+Inf"} ${second * 80}
vllm:request_queue_time_seconds_sum ${second * 0.008}
vllm:request_queue_time_seconds_count ${second * 80}
`,
]);

const AGREEING: readonly Reconciliation[] = [
  ["requests", "requests", 160, 160],
  ["prompt tokens", "tokens", 32_000, 32_000],
  ["generation tokens", "tokens", 10_240, 10_240],
  ["TTFT avg", "ms", 63.8, 63],
].map(([quantity, unit, client, server]) => ({
  quantity: quantity as string,
  unit: unit as string,
  client: client as number,
  server: server as number,
  estimated: false,
  doubt: undefined,
}));

const CONSISTENT: Reconciliation = {
  quantity: "TTFT p99",
  unit: "ms",
  client: 111,
  server: 190,
  estimated: true,
  serverBounds: [100, 250],
  doubt: undefined,
};

Deno.test("the compact report is one screen: load, metrics, servers, and what became of the run", () => {
  const report = goodReport({ reconciliation: [...AGREEING, CONSISTENT] });
  const serverMetrics = reportOf([scrapedEndpoint(endpointOf(VLLM_PAGES))], { start: 0, end: 2 });
  assert.equal(
    drawn(report, { serverMetrics }),
    `\
Qwen3-0.6B, http://node1:8000                                    chat, streaming
closed loop, 16 in flight, 160 requests; 10 tokens in, 5 out; GPUs not stated

whole run            avg       p50       p90       p99
TTFT          ms    80.0      80.0      80.0      80.0
ITL           ms    8.33      7.50      11.5      12.4
latency       ms     113       110       126       130
tokens/s out        53.6
requests/s          10.7
tokens/s/user        120
good/s              7.14
tokens: 10 in, 5 out a request (usage in replies)

time    prefill and network 71 %   decode 29 %   queue 0.1 %   of 113 ms
server  running 14.5 of 16   waiting 0   KV cache 0.7 %
agree   requests, tokens, TTFT, TTFT p99 within 100-250 ms

sent    160 requests, none failed, in 2.5 s
files   /runs/one/ (2 files)
`,
  );
});

Deno.test("the compact report ends with the diagnosis and whether the results can be published", () => {
  const lines = drawn(goodReport({
    sampling: new Map(),
    steady: { none: "only 12 requests start in it, fewer than 30" },
    diagnosis: {
      code: "too-short",
      text: "Too short: no steady state reached",
      cause: "Start-up and drain dominate.",
      evidence: [],
      unknown: [],
      try: ["run for at least 10 s (--benchmark-duration), warm-up included"],
    },
  })).split("\n");
  assert.deepEqual(
    lines.slice(-6),
    [
      "",
      "TOO SHORT: no steady state reached.",
      "  Start-up and drain dominate. Try: run for at least 10 s",
      "  (--benchmark-duration), warm-up included.",
      "NOT PUBLISHABLE: no steady state (only 12 requests start in it, fewer than 30).",
      "",
    ],
  );
});

Deno.test("the compact report ends a cause without a period before it names a remedy", () => {
  const text = drawn(goodReport({
    sampling: new Map(),
    diagnosis: {
      ...{ code: "too-short", text: "No result: nothing answers", cause: "connect" },
      ...{ evidence: [], unknown: [], try: ["start the server"] },
    },
  }));
  assert.match(text, /connect\. Try: start the server\./);
});

Deno.test("the compact report of a run without streams has no rows of tokens in time", () => {
  const streaming = { "endpoint": { "urls": ["http://a:1/"], "streaming": false } };
  const text = drawn(goodReport({
    results: resultsOf(someRecords(), { streaming: false, goodput: false }),
    inputConfig: { ...CONFIG, ...streaming },
  }));
  assert.doesNotMatch(text, /^(TTFT|ITL|chunk gap|tokens\/s\/user)/m);
  assert.match(text, /^latency +ms +113 /m);
  assert.match(text, /^tokens\/s out +53\.6$/m);
  assert.match(text, /^requests\/s +10\.7$/m);
  assert.match(text, /^hint: add --streaming to measure TTFT and ITL$/m);
  assert.match(text, /^Qwen3-0\.6B, http:\/\/a:1 +chat$/m);
});

Deno.test("the compact report shows one more kind of failure rather than say that there is one", () => {
  const errors = Array.from({ length: 6 }, (_, index) => ({
    ...{ kind: "timeout", status: null, type: "timeout", message: `No reply ${index}`, count: 4 },
  })) as ProfileReport["errors"];
  const text = drawn(goodReport({ errors, requests: { ...NO_REQUESTS, sent: 48, failed: 24 } }));
  assert.match(text, /^ {8}4 {2}timeout {2}No reply 5$/m);
  assert.doesNotMatch(text, /of other kinds/);
});

Deno.test("the compact report of embeddings counts the tokens that went in", () => {
  const embeddings = [recordWith({
    ...{ completionTokens: NaN, outputTokens: NaN, chunkNs: Float64Array.of(1.1e9) },
  })];
  const text = drawn(goodReport({
    endpointType: "embeddings",
    inputConfig: { ...CONFIG, "endpoint": { "streaming": false } },
    results: resultsOf(embeddings, { streaming: false, producesTokens: false, goodput: false }),
  }));
  assert.match(text, /^requests\/s +10\.0$/m);
  assert.match(text, /^tokens: 10 in a request \(usage in replies\)$/m);
  assert.doesNotMatch(text, /tokens\/s out|NaN|undefined/);
  assert.doesNotMatch(text, /without --streaming/, "nothing of them could be streamed");
});

Deno.test("the compact report lists failures, notes and suspicions just above the last lines", () => {
  const health = reportWith().clientHealth;
  const report = goodReport({
    errors: [
      ...[{ kind: "http_status", status: 503, type: "Service Unavailable", message: "overloaded" }],
      ...Array.from({ length: 7 }, (_, index) => ({
        ...{ kind: "timeout", status: null, type: "timeout", message: `No reply ${index}` },
      })),
    ].map((error, index) => ({
      ...error,
      count: index === 0 ? 1200 : 2,
    })) as ProfileReport["errors"],
    requests: {
      ...NO_REQUESTS,
      ...{ sent: 9000, succeeded: 7000, failed: 1214, cancelled: 3, unsentArrivals: 5, retried: 1 },
    },
    notes: ["The run ended early: nobody was there", LONG],
    endedEarly: "nobody was there",
    clientHealth: { ...health, ok: false, problems: ["slow", "late"], advice: ["rest", "hurry"] },
  });
  const lines = drawn(report).split("\n");
  const end = lines.slice(lines.findIndex((line) => line.startsWith("errors")));
  assert.deepEqual(end.filter((line) => !/No reply [1-4]$/.test(line)), [
    "errors  1,214 of 8,214 (14.8 %)",
    "        1,200  http_status  503 Service Unavailable: overloaded",
    "            2  timeout  No reply 0",
    "        4 of other kinds",
    "",
    "note: The run ended early: nobody was there",
    ...wrapText(`note: ${LONG}`, 80, 2),
    "client health: SUSPECT: slow; late (lag p99 0.40 ms, send slip p99 0.02 ms, CPU",
    "  13 % of 2 cores)",
    "action: rest; hurry",
    "sent    9,000 requests, 1,214 failed, 3 cancelled, 5 arrivals not sent, 1",
    "          retried on a new connection, in 2.5 s, ENDED EARLY, results are",
    "          partial",
    "files   /runs/one/ (2 files)",
    "",
  ]);
});

Deno.test("the compact report of a run without a valid reply says why, and has no figures", () => {
  const report = goodReport({
    results: new Map(),
    errors: reportWith().errors,
    requests: { ...NO_REQUESTS, sent: 10, failed: 10 },
    wasCancelled: true,
    files: ["report.html", "a.json", "b.json"],
    clientHealth: {
      ...reportWith().clientHealth,
      loopLagMs: [],
      sendSlipMs: summaryOf(),
      cpuCores: NaN,
    },
  });
  assert.equal(
    drawn(report, { traceTiming: true }),
    `\
Qwen3-0.6B, http://node1:8000                                    chat, streaming
closed loop, 16 in flight, 160 requests; GPUs not stated

errors  10 of 10 (100 %)  timeout  No reply within 1 s

sent    10 requests, all failed, in 2.5 s, INTERRUPTED, results are partial
files   /runs/one/report.html and 2 more
`,
  );
});

Deno.test("the compact report names several servers and models, and the load of an open loop", () => {
  const titles = (phase: Readonly<Record<string, unknown>>, urls = ["http://a:1", "http://b:2"]) =>
    drawn(goodReport({
      inputConfig: {
        "models": { "items": [{ "name": "m" }, { "name": "n" }, { "name": "o" }] },
        "endpoint": { urls, "streaming": false },
        "phases": [{ "kind": "warmup", "rate": 1 }, { "kind": "profiling", ...phase }],
      },
    })).split("\n").slice(0, 3);
  assert.deepEqual(titles({ "type": "poisson", "rate": 20, "duration": 60 }).slice(0, 2), [
    "m and 2 more, http://a:1 and 1 more                                         chat",
    "open loop, 20.0 requests/s (poisson) for 60 s; 10 tokens in, 5 out; GPUs not",
  ]);
  assert.deepEqual(
    titles({ "type": "constant", "rate": 2.5, "concurrency": 1200 }, [
      `http://${"node.".repeat(7)}example.com:8000/v1`,
    ]).slice(0, 2),
    [
      `m and 2 more, http://${"node.".repeat(7)}example.com:8000    chat`,
      "open loop, 2.50 requests/s (constant), at most 1,200 in flight; 10 tokens in, 5",
    ],
  );
});

Deno.test("the compact report has the time that requests waited for a slot, if they did", () => {
  const text = drawn(goodReport({
    results: resultsOf(
      someRecords().map((record) => ({ ...record, intendedNs: record.startNs - 12e9 })),
    ),
  }));
  assert.match(text, /^TTFT\+queue +ms +12,080 /m);
  assert.match(text, /^latency\+queue +ms +12,113 /m);
  assert.match(text, /^\+queue: from the intended start, with the wait for a free slot$/m);
  assert.doesNotMatch(drawn(goodReport()), /queue/);
});

Deno.test("the compact report has HTTP timings where they are asked for", () => {
  const text = drawn(goodReport(), { traceTiming: true });
  assert.match(text, /^HTTP +avg +p50 +p90 +p95 +p99 +max$/m);
  assert.match(text, /^sending +ms +1\.00 /m);
  assert.match(text, /^sent +KB +1\.00 /m);
  assert.doesNotMatch(text, /^TLS/m, "no connection was encrypted");
});

for (const width of [50, 60, 80, 120, 200]) {
  Deno.test(`the compact report fits ${width} columns and loses no word`, () => {
    const report = goodReport({
      results: resultsOf(
        someRecords().map((record) =>
          recordWith({ ...record, chunkNs: record.chunkNs.map((ns) => ns * 1e5) })
        ),
      ),
      errors: [{
        ...{ kind: "connect", status: null, type: "connect", count: 123_456 },
        message: `Cannot reach {"url":"https://example.com/${"x".repeat(60)}"} 模型不存在`,
      }],
      notes: ["A note of many words that says what a reader must know. ".repeat(3)],
      reconciliation: [...AGREEING, { ...CONSISTENT, client: 900 }],
      clientHealth: {
        ...reportWith().clientHealth,
        ok: false,
        problems: ["a long one ".repeat(9)],
      },
    });
    const serverMetrics = reportOf([scrapedEndpoint(endpointOf(VLLM_PAGES))], { start: 0, end: 2 });
    const text = drawn(report, { width, serverMetrics, traceTiming: true });
    for (const line of text.split("\n")) {
      assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
    }
    const squeezed = text.replace(/\s/g, "");
    for (const { message } of report.errors) {
      assert.ok(squeezed.includes(message.replace(/\s/g, "")), message);
    }
    for (const said of [...report.notes, ...report.clientHealth.problems]) {
      assert.ok(squeezed.includes(said.replace(/\s/g, "")), said);
    }
    assert.match(text, /^TTFT .*avg|avg.*\nTTFT/m);
  });
}

Deno.test("the compact report lets nothing that others say disturb the terminal", () => {
  const hostile = "\x1b]0;title\x07\x1b[2J\r\nclient health: ok\u202e";
  const text = drawn(goodReport({
    errors: [{
      ...{ kind: "stream_error", status: null, type: "stream_error", count: 1 },
      message: hostile,
    }],
    notes: [`The server says ${hostile}`],
    inputConfig: {
      "models": { "items": [{ "name": hostile }] },
      "endpoint": { "urls": [hostile], "streaming": true },
    },
  }));
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.doesNotMatch(text, /^client health/m);
});

Deno.test("the compact report colours its title and warnings, or nothing", () => {
  const report = goodReport({
    notes: ["careful"],
    clientHealth: { ...reportWith().clientHealth, ok: false, problems: ["slow"] },
  });
  const plain = drawn(report);
  const coloured = drawn(report, { color: true });
  assert.ok(!plain.includes("\x1b"));
  assert.ok(coloured.startsWith("\x1b[1mQwen3-0.6B, http://node1:8000"));
  assert.ok(coloured.includes("\x1b[33mnote: careful\x1b[39m"));
  assert.ok(coloured.includes("\x1b[33mclient health: SUSPECT: slow"));
  // deno-lint-ignore no-control-regex
  assert.equal(coloured.replace(/\x1b\[\d+m/g, ""), plain);
});
