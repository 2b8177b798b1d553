/** The client's figures beside the server's, for pages shaped as those of each kind of server. */

import assert from "node:assert/strict";
import type { SampleTraffic } from "../../../src/measurement/answers/drift_findings.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import type { RequestCounts } from "../../../src/report/model/profile_report.ts";
import { reconcile } from "../../../src/report/model/reconciliation.ts";
import type { Reconciliation } from "../../../src/report/model/profile_report.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import {
  ENDPOINT_URL,
  endpointOf,
  reportOf,
  reportOfPages,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";
import { NO_REQUESTS, summaryOf } from "../../support/reports.ts";

const OWN = new Set([ENDPOINT_URL]);
const REQUESTS: RequestCounts = { ...NO_REQUESTS, sent: 40, succeeded: 40 };
const WINDOW = { start: 0.5, end: 1 };

/** The client's values of some metrics by their tags. */
function clientOf(values: Readonly<Record<string, readonly number[]>>): MetricResults {
  return new Map(
    Object.entries(values).map(([tag, list]) => [tag, { summary: summaryOf(...list) }]),
  ) as unknown as MetricResults;
}

/** Forty requests with 100 prompt and 10 output tokens, TTFT 50 ms, ITL 5 ms, 100 ms in all. */
const CLIENT = clientOf({
  "usage_prompt_tokens": Array.from({ length: 40 }, () => 100),
  "usage_completion_tokens": Array.from({ length: 40 }, () => 10),
  "time_to_first_token": Array.from({ length: 40 }, () => 50),
  "inter_token_latency": Array.from({ length: 40 }, () => 5),
  "inter_chunk_latency": Array.from({ length: 360 }, (_, index) => 4 + index % 3),
  "request_latency": Array.from({ length: 40 }, () => 100),
});

function counter(name: string, value: number, labels = ""): string {
  return `# TYPE ${name} counter\n${name}${labels} ${value}\n`;
}

function histogram(name: string, count: number, mean: number, bound: number, labels = ""): string {
  const set = (extra: string) => `{${[labels, extra].filter(Boolean).join(",")}}`;
  return `# TYPE ${name} histogram\n${name}_bucket${set(`le="${bound}"`)} ${count}\n` +
    `${name}_bucket${set('le="+Inf"')} ${count}\n${name}_sum${set("")} ${count * mean}\n` +
    `${name}_count${set("")} ${count}\n`;
}

/** What a server tells that did `count` requests as the client says, under the names of its kind. */
const PAGES: Readonly<Record<string, (count: number) => string>> = {
  "vLLM": (count) =>
    counter("vllm:request_success_total", count, '{finished_reason="stop"}') +
    counter("vllm:prompt_tokens_total", count * 100) +
    counter("vllm:generation_tokens_total", count * 10) +
    histogram("vllm:time_to_first_token_seconds", count, 0.05, 0.1) +
    histogram("vllm:inter_token_latency_seconds", count * 9, 0.005, 0.01) +
    histogram("vllm:e2e_request_latency_seconds", count, 0.1, 0.2),
  "SGLang": (count) =>
    counter("sglang:num_requests_total", count) +
    counter("sglang:prompt_tokens_total", count * 100) +
    counter("sglang:generation_tokens_total", count * 10) +
    histogram("sglang:time_to_first_token_seconds", count, 0.05, 0.1) +
    histogram("sglang:inter_token_latency_seconds", count * 9, 0.005, 0.01) +
    histogram("sglang:e2e_request_latency_seconds", count, 0.1, 0.2),
  "TensorRT-LLM": (count) =>
    counter("trtllm_request_success_total", count, '{finished_reason="stop"}') +
    counter("trtllm_prompt_tokens_total", count * 100) +
    counter("trtllm_generation_tokens_total", count * 10) +
    histogram("trtllm_time_to_first_token_seconds", count, 0.05, 0.1) +
    histogram("trtllm_time_per_output_token_seconds", count, 0.005, 0.01) +
    histogram("trtllm_e2e_request_latency_seconds", count, 0.1, 0.2),
  "Dynamo frontend": (count) =>
    counter("dynamo_frontend_requests_total", count, '{status="success"}') +
    histogram("dynamo_frontend_input_sequence_tokens", count, 100, 200) +
    counter("dynamo_frontend_output_tokens_total", count * 10) +
    histogram("dynamo_frontend_time_to_first_token_seconds", count, 0.05, 0.1) +
    histogram("dynamo_frontend_inter_token_latency_seconds", count * 9, 0.005, 0.01) +
    histogram("dynamo_frontend_request_duration_seconds", count, 0.1, 0.2),
  "llama.cpp": (count) =>
    counter("llamacpp:prompt_tokens_total", count * 88) +
    counter("llamacpp:prompt_tokens_cached_total", count * 12) +
    counter("llamacpp:tokens_predicted_total", count * 10),
  "Triton": (count) => counter("nv_inference_request_success", count, '{model="m"}'),
};

/** What percentiles of a server's ITL are compared with: a mean of each request is an ITL, too. */
function gapOf(kind: string): string {
  return kind === "TensorRT-LLM" ? "ITL" : "chunk gap";
}

/** A server that had served seven requests before. */
function pagesOf(page: (count: number) => string, count = 40): TimedPage[] {
  return [[0, page(7)], [1, page(7 + count)]];
}

function textOf({ quantity, client, server, doubt }: Reconciliation): string {
  const round = (value: number) => Math.round(value * 1e6) / 1e6;
  return `${quantity}: ${round(client)} ${round(server)}${doubt === undefined ? "" : ` ${doubt}`}`;
}

Deno.test("reconcile takes the sample of --verify from what servers count, and compares no times", () => {
  const page = PAGES["vLLM"] as (count: number) => string;
  const report = reportOfPages(pagesOf(page, 45), WINDOW);
  const sample = { requests: 5, promptTokens: 500, completionTokens: 50 };
  const textsWith = (sample: SampleTraffic): string[] =>
    reconcile(CLIENT, REQUESTS, report, OWN, { sample }).map(textOf);
  const exact = ["requests: 40 40", "prompt tokens: 4000 4000", "generation tokens: 400 400"];
  assert.deepEqual(textsWith(sample), exact);
  // Without usage nobody knows the tokens of the sample.
  assert.deepEqual(textsWith({ requests: 5 }), exact.slice(0, 1));
});

for (const [kind, page] of Object.entries(PAGES)) {
  Deno.test(`reconcile finds nothing to doubt where ${kind} says what the client says`, () => {
    const report = reportOfPages(pagesOf(page), WINDOW);
    assert.deepEqual(report.roles.engines.map(({ engine }) => engine.name), [kind]);
    const rows = reconcile(CLIENT, REQUESTS, report, OWN);
    const exact = rows.filter(({ estimated }) => !estimated).map(textOf);
    const all = [
      "requests: 40 40",
      "prompt tokens: 4000 4000",
      "generation tokens: 400 400",
      "TTFT avg: 50 50",
      // vLLM's has one observation for each step.
      kind === "vLLM" ? "chunk gap avg: 5 5" : "ITL avg: 5 5",
      "request latency avg: 100 100",
    ];
    const known = { "Triton": all.slice(0, 1), "llama.cpp": all.slice(1, 3) }[kind] ?? all;
    assert.deepEqual(exact, known);
    const estimated = rows.filter(({ estimated }) => estimated);
    assert.deepEqual(
      estimated.map(({ quantity }) => quantity),
      known !== all ? [] : ["TTFT", gapOf(kind), "request latency"].flatMap((name) => [
        `${name} p50`,
        `${name} p99`,
      ]),
    );
    for (const { doubt, server } of estimated) assert.ok(doubt === undefined && server > 0);
  });
}

function vllm(page: (count: number) => string, count = 40): ServerMetricsReport {
  return reportOfPages(pagesOf(page, count), WINDOW);
}

function rowOf(rows: readonly Reconciliation[], quantity: string): Reconciliation {
  const row = rows.find((row) => row.quantity === quantity);
  assert.ok(row !== undefined, quantity);
  return row;
}

Deno.test("reconcile doubts counts of requests that cannot be those of the client", () => {
  const page = PAGES["vLLM"] as (count: number) => string;
  const doubtOf = (served: number, requests: Partial<RequestCounts> = {}) =>
    rowOf(reconcile(CLIENT, { ...REQUESTS, ...requests }, vllm(page, served), OWN), "requests")
      .doubt;
  assert.equal(doubtOf(41), "the server also handled requests from other clients");
  assert.equal(
    doubtOf(39),
    "the server counts fewer requests: another instance answered, or its counters lag",
  );
  // Requests that failed may have been served all the same.
  assert.equal(doubtOf(40, { succeeded: 30, failed: 10 }), undefined);
  assert.equal(doubtOf(30, { succeeded: 30, failed: 10 }), undefined);
});

Deno.test("reconcile doubts token counts that differ by more than tokenizers explain", () => {
  const doubtOf = (tokens: number, requests: Partial<RequestCounts> = {}) => {
    const report = vllm((count) => counter("vllm:prompt_tokens_total", count * tokens));
    return rowOf(reconcile(CLIENT, { ...REQUESTS, ...requests }, report, OWN), "prompt tokens")
      .doubt;
  };
  assert.equal(doubtOf(101), undefined);
  assert.equal(doubtOf(99), undefined);
  assert.match(doubtOf(120) ?? "", /the server counts more/);
  assert.match(doubtOf(80) ?? "", /the server counts fewer/);
  assert.equal(doubtOf(120, { failed: 1 }), undefined);
});

Deno.test("reconcile calls a restart of the server a restart", () => {
  const page = (count: number) =>
    counter("vllm:request_success_total", count) + counter("vllm:prompt_tokens_total", 100 * count);
  const restarted = "the server restarted during the run, its counters began again at zero";
  const cases = [
    ...[[1000, 1004, 36, 40, undefined], [1000, 1004, 30, 34, restarted]] as const,
    ...[[10, 30, 20, 40, undefined], [10, 40, 20, 50, restarted]] as const,
  ];
  for (const [before, middle, after, total, doubt] of cases) {
    const pages = [[0, page(before)], [0.5, page(middle)], [1, page(after)]] as const;
    const report = reportOfPages(pages, WINDOW);
    const rows = reconcile(CLIENT, REQUESTS, report, OWN);
    assert.equal(rowOf(rows, "requests").server, total);
    for (const name of ["requests", "prompt tokens"]) {
      assert.equal(rowOf(rows, name).doubt, doubt, `${name}: ${before}`);
    }
    // Failed requests explain more tokens of a server, not fewer.
    const failed = reconcile(CLIENT, { ...REQUESTS, failed: 3 }, report, OWN);
    assert.equal(rowOf(failed, "prompt tokens").doubt, doubt);
    assert.match(report.notes.join("\n"), /^server restarted: counters decreased.*clamped/m);
  }
});

function sourcedText({ quantity, client, server, sources, doubt }: Reconciliation): string {
  const [clientSource, serverSource] = sources ?? [];
  return `${quantity}: ${client} ${clientSource}, ${server} ${serverSource}` +
    (doubt === undefined ? "" : `, ${doubt}`);
}

Deno.test("reconcile takes the client's own count of tokens where no usage was told", () => {
  const client = clientOf({
    "input_sequence_length": [2000, 2000],
    "output_sequence_length": [200, 100],
  });
  const rows = reconcile(client, REQUESTS, vllm(PAGES["llama.cpp"] as never), OWN);
  assert.deepEqual(rows.map(sourcedText), [
    "prompt tokens: 4000 client's tokenizer, 4000 server metrics",
    "generation tokens: 300 client's tokenizer, 400 server metrics, " +
    "the server counts more: another tokenizer",
  ]);
});

Deno.test("reconcile compares usage with the counters, and the client's own count with usage", () => {
  const of = (count: number, each: number) => Array.from({ length: count }, () => each);
  const client = clientOf({
    "usage_prompt_tokens": of(40, 100),
    "input_sequence_length": of(40, 87),
    "usage_prompt_tokens_diff_pct": of(40, 15),
    "usage_completion_tokens": of(38, 10),
    "output_sequence_length": of(40, 11),
  });
  const rows = reconcile(client, REQUESTS, vllm(PAGES["llama.cpp"] as never), OWN);
  assert.deepEqual(rows.map(sourcedText), [
    "prompt tokens: 4000 usage in replies, 4000 server metrics",
    "prompt tokens: 3480 client's tokenizer, 4000 usage in replies",
    // Without differences in percent the client counts nothing itself.
    "generation tokens: 380 usage in replies, 400 server metrics, " +
    "only 38 of 40 replies hold usage",
  ]);
});

Deno.test("reconcile adds counters up only where all of them are there", () => {
  const page = (count: number) => counter("llamacpp:prompt_tokens_total", count * 100);
  assert.deepEqual(reconcile(CLIENT, REQUESTS, vllm(page), OWN), []);
});

Deno.test("reconcile doubts latencies that the way to the server does not explain", () => {
  const doubtOf = (clientMs: number, serverSeconds: number) => {
    const report = vllm((count) =>
      histogram("vllm:time_to_first_token_seconds", count, serverSeconds, 10)
    );
    const client = clientOf({ "time_to_first_token": [clientMs] });
    return rowOf(reconcile(client, REQUESTS, report, OWN), "TTFT avg").doubt;
  };
  assert.equal(doubtOf(50, 0.05), undefined);
  assert.equal(doubtOf(65, 0.05), undefined, "15 ms are no more than a way may take");
  assert.equal(doubtOf(1200, 1), undefined, "nor is a fifth of a second of a second");
  assert.match(doubtOf(120, 0.05) ?? "", /network or server front-end/);
});

Deno.test("reconcile says that a server was slower to others only where it served others", () => {
  const ttftPage = (count: number) => histogram("vllm:time_to_first_token_seconds", count, 0.09, 1);
  const doubtOf = (served: number, requests: Partial<RequestCounts>, page = ttftPage) => {
    const report = vllm(page, served);
    const client = clientOf({ "time_to_first_token": [50] });
    return rowOf(reconcile(client, { ...REQUESTS, ...requests }, report, OWN), "TTFT avg").doubt;
  };
  assert.equal(doubtOf(41, {}), "the server was slower for other clients");
  assert.equal(
    doubtOf(40, {}),
    "the server reports more than the client measured, although it had no other client",
  );
  assert.equal(
    doubtOf(40, { succeeded: 30, failed: 10 }),
    "the server value includes failed requests",
  );
  const withCounter = (count: number) =>
    ttftPage(count) + counter("vllm:request_success_total", count * 2);
  assert.equal(doubtOf(40, {}, withCounter), "the server was slower for other clients");
});

Deno.test("reconcile finds first tokens that were held back and arrived with later ones", () => {
  // 11 tokens: the server counts 30 ms to the first and 7 ms for each other one.
  const page = (count: number) =>
    histogram("sglang:time_to_first_token_seconds", count, 0.03, 0.1) +
    histogram("sglang:inter_token_latency_seconds", count * 10, 0.007, 0.1);
  const pages: TimedPage[] = [[0, page(0)], [0.6, page(40)], [0.9, page(40)]];
  const doubtOf = (ttftMs: number, decodeMs: number) => {
    const client = clientOf({
      "usage_completion_tokens": [11],
      "time_to_first_token": [ttftMs],
      "decode_duration": [decodeMs],
      "inter_token_latency": [decodeMs / 10],
    });
    const rows = reconcile(client, REQUESTS, reportOfPages(pages, WINDOW), OWN);
    return rowOf(rows, "time per token avg").doubt;
  };
  assert.match(doubtOf(50, 50) ?? "", /^the first tokens reached the client late and together/);
  assert.match(doubtOf(35, 50) ?? "", /^the server reports more than the client measured/);
  assert.equal(doubtOf(30, 70), undefined);
});

Deno.test("reconcile adds up the series, and their buckets where the bounds are the same", () => {
  const page = (count: number, isSame: boolean) =>
    [0, 1].map((engine) =>
      histogram(
        "vllm:time_to_first_token_seconds",
        count,
        0.04 + 0.02 * engine,
        isSame ? 1 : 1 + engine,
        `engine="${engine}"`,
      )
        .replace(engine === 0 ? "" : /^# TYPE.*\n/, "")
    ).join("") + counter("vllm:request_success_total", count / 2, '{finished_reason="stop"}') +
    `vllm:request_success_total{finished_reason="length"} ${count / 2}\n`;
  const textsOf = (isSame: boolean) =>
    reconcile(CLIENT, REQUESTS, vllm((count) => page(count, isSame)), OWN).map(({ quantity }) =>
      quantity
    );
  const rows = reconcile(CLIENT, REQUESTS, vllm((count) => page(count, false)), OWN);
  assert.deepEqual(rows.map(textOf), ["requests: 40 40", "TTFT avg: 50 50"]);
  assert.deepEqual(textsOf(true), ["requests", "TTFT avg", "TTFT p50", "TTFT p99"]);
});

Deno.test("reconcile compares steps with chunks, and the mean of requests with ITL", () => {
  const page = (count: number) =>
    histogram("vllm:inter_token_latency_seconds", count * 9, 0.06, 1) +
    histogram("vllm:request_time_per_output_token_seconds", count, 0.024, 1);
  const client = clientOf({ "inter_token_latency": [24], "inter_chunk_latency": [60] });
  const rows = reconcile(client, REQUESTS, vllm(page), OWN).filter(({ estimated }) => !estimated);
  assert.deepEqual(rows.map(textOf), ["ITL avg: 24 24", "chunk gap avg: 60 60"]);
});

Deno.test("reconcile names no other clients where several servers count one request", () => {
  const page = PAGES["vLLM"] as (count: number) => string;
  const report = reportOf(
    ["http://prefill/metrics", "http://decode/metrics"].map((url) =>
      scrapedEndpoint(endpointOf(pagesOf(page)), { url })
    ),
    WINDOW,
  );
  const rows = reconcile(CLIENT, REQUESTS, report, OWN);
  assert.equal(
    rowOf(rows, "requests").doubt,
    "the servers count 40 more than this client sent",
  );
  assert.equal(rowOf(rows, "prompt tokens").doubt, "the server counts more");
  const retried = reconcile(CLIENT, { ...REQUESTS, retried: 1 }, vllm(page, 41), OWN);
  assert.equal(
    rowOf(retried, "requests").doubt,
    "the servers count 1 more than this client sent",
  );
});

Deno.test("reconcile names warm-up and priming where a server counts no more than these as well", () => {
  const page = PAGES["vLLM"] as (count: number) => string;
  const doubtOf = (served: number): string | undefined =>
    rowOf(
      reconcile(CLIENT, REQUESTS, vllm(page, served), OWN, { unmeasuredRequests: 3 }),
      "requests",
    ).doubt;
  assert.equal(doubtOf(43), "the servers also count 3 warm-up requests or priming calls");
  assert.equal(doubtOf(44), "the server also handled requests from other clients");
});

Deno.test("reconcile counts requests by a histogram where there is no counter", () => {
  const report = vllm((count) => histogram("vllm:e2e_request_latency_seconds", count, 0.1, 1));
  assert.equal(rowOf(reconcile(CLIENT, REQUESTS, report, OWN), "requests").server, 40);
});

Deno.test("reconcile asks the inference servers' own endpoints, others only where these know nothing", () => {
  const page = PAGES["vLLM"] as (count: number) => string;
  const other = "http://gateway:9000/metrics";
  const both = reportOf([
    scrapedEndpoint(endpointOf(pagesOf(page))),
    scrapedEndpoint(endpointOf(pagesOf(page)), { url: other }),
  ], WINDOW);
  const serverOf = (own: ReadonlySet<string>) =>
    rowOf(reconcile(CLIENT, REQUESTS, both, own), "requests").server;
  assert.equal(serverOf(OWN), 40);
  assert.equal(serverOf(new Set([other])), 40);
  assert.equal(serverOf(new Set(["http://elsewhere/metrics"])), 80);
});

Deno.test("reconcile asks the engine where its front end tells nothing", () => {
  const page = (count: number) =>
    `# TYPE dynamo_component_inflight_requests gauge\ndynamo_component_inflight_requests 1\n` +
    PAGES["vLLM"]?.(count);
  const rows = reconcile(CLIENT, REQUESTS, vllm(page), OWN);
  assert.equal(rowOf(rows, "requests").server, 40);
});

Deno.test("reconcile says nothing of servers that it does not know", () => {
  const report = vllm((count) => counter("my_requests_total", count));
  assert.deepEqual(reconcile(CLIENT, REQUESTS, report, OWN), []);
});

Deno.test("reconcile has the bounds of what is estimated, in the client's unit", () => {
  const report = vllm((count) => histogram("vllm:time_to_first_token_seconds", count, 0.02, 0.1));
  const rows = reconcile(CLIENT, REQUESTS, report, OWN);
  assert.equal(rowOf(rows, "TTFT avg").serverBounds, undefined);
  const [lower, upper] = rowOf(rows, "TTFT p50").serverBounds ?? [NaN, NaN];
  // Of forty observations with a mean of 20 ms, twenty cannot be above 40.
  assert.ok(lower === 0 && Math.abs(upper - 40) < 1e-6, `${lower} ${upper}`);
});

Deno.test("reconcile compares steps with drafts by their tokens", () => {
  // 10 requests of 41 tokens in 20 steps of 50 ms each: 25 ms a token.
  const page = (count: number) =>
    counter("vllm:spec_decode_num_drafts_total", count * 20) +
    counter("vllm:generation_tokens_total", count * 41) +
    histogram("vllm:time_to_first_token_seconds", count, 0.05, 0.1) +
    histogram("vllm:inter_token_latency_seconds", count * 20, 0.05, 0.1);
  const client = clientOf({
    "usage_completion_tokens": Array.from({ length: 10 }, () => 41),
    "decode_duration": Array.from({ length: 10 }, () => 1010),
    "inter_token_latency": Array.from({ length: 10 }, () => 25.25),
    // Some steps brought no text.
    "inter_chunk_latency": Array.from({ length: 180 }, () => 56),
  });
  const pages: TimedPage[] = [[0, page(0)], [0.6, page(10)], [0.9, page(10)]];
  const requests = { ...NO_REQUESTS, sent: 10, succeeded: 10 };
  const rows = reconcile(client, requests, reportOfPages(pages, WINDOW), OWN);
  const [first] = rows.filter(({ unit }) => unit === "ms");
  assert.equal(first?.quantity, "time per token avg");
  assert.deepEqual([first?.client, first?.server, first?.doubt], [25.25, 25, undefined]);
  assert(!rows.some(({ quantity }) => quantity === "chunk gap avg"));
});

Deno.test("reconcile weights the client's time between tokens as a server of tokens does", () => {
  // A request of 11 tokens at 10 ms, one of 101 at 20 ms: 19.1 ms a token, 15 ms a request.
  const page = (count: number) =>
    histogram("sglang:inter_token_latency_seconds", count * 110, 2.1 / 110, 0.1);
  const client = clientOf({
    "usage_completion_tokens": [11, 101],
    "decode_duration": [100, 2000],
    "inter_token_latency": [10, 20],
  });
  const pages: TimedPage[] = [[0, page(0)], [0.6, page(1)], [0.9, page(1)]];
  const rows = reconcile(client, REQUESTS, reportOfPages(pages, WINDOW), OWN);
  const [first] = rows;
  assert.equal(first?.quantity, "time per token avg");
  assert(Math.abs((first?.client ?? NaN) - (first?.server ?? NaN)) < 1e-9);
});
