import assert from "node:assert/strict";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { judgeSlos } from "../../../src/config/gate/judge_slos.ts";
import { judgedRun } from "../../../src/report/model/judged_run.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import {
  endpointOf,
  reportOf,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";

const WINDOW = { start: 0.5, end: 3.5 };

function gauge(name: string, ...rows: readonly string[]): string {
  return `# TYPE ${name} gauge\n${rows.map((row) => `${name}${row}\n`).join("")}`;
}

function reportOfEndpoints(
  endpoints: Readonly<Record<string, readonly TimedPage[]>>,
  window = WINDOW,
): ServerMetricsReport {
  return reportOf(
    Object.entries(endpoints).map(([url, pages]) => scrapedEndpoint(endpointOf(pages), { url })),
    window,
  );
}

function judged(report: ServerMetricsReport, text: string) {
  const run = judgedRun(
    { results: new Map(), measurementError: undefined, gpu: undefined },
    report,
  );
  const [gate] = judgeSlos(parseSlos([text]), run);
  assert.ok(gate !== undefined);
  return gate;
}

Deno.test("the maximum of a sum is that of a time, not the sum of maxima", () => {
  const pageOf = (running: number): string => gauge("vllm:num_requests_running", ` ${running}`);
  const report = reportOfEndpoints({
    "http://a/metrics": [[1, pageOf(9)], [2, pageOf(1)], [3, pageOf(2)]],
    "http://b/metrics": [[1, pageOf(0)], [2, pageOf(8)], [3, pageOf(2)]],
  });
  const figure = report.roles.figure("running");
  const { avg, min, max } = figure?.stats ?? {};
  assert.deepEqual([avg, min, max], [22 / 3, 4, 9]);
  assert.deepEqual([figure?.instances, figure?.idleInstances], [2, 0]);
  assert.equal(judged(report, "server.running.max<9.5").met, true);
  const gate = judged(report, "server.running.max<9");
  assert.deepEqual([gate.met, gate.remark], [false, "over 2 instances"]);
  // The metric itself is judged series by series.
  const literal = judged(report, "server.vllm:num_requests_running.max<9");
  assert.match(literal.remark ?? "", /^worst of 2 series: http:\/\/a\/metrics/);
});

Deno.test("shares are means over all instances, idle ones too, and the largest of any time", () => {
  const pageOf = (a: number, b: number): string =>
    gauge("vllm:kv_cache_usage_perc", `{engine="0"} ${a}`, `{engine="1"} ${b}`);
  const report = reportOfEndpoints({
    "http://a/metrics": [[1, pageOf(0.2, 0)], [2, pageOf(0.8, 0)], [3, pageOf(0.2, 0)]],
  });
  const figure = report.roles.figure("kv_usage");
  assert.ok(Math.abs((figure?.stats["avg"] ?? NaN) - 0.2) < 1e-12);
  assert.deepEqual([figure?.stats["max"], figure?.stats["min"]], [0.8, 0]);
  assert.deepEqual([figure?.instances, figure?.idleInstances], [2, 1]);
  assert.equal(judged(report, 'server.kv_cache_usage{engine="1"}.avg<=0').found, "0");
});

Deno.test("series that divide what an instance reports are no instances", () => {
  const page = (at: number): string =>
    gauge("vllm:num_requests_running", `{engine="0"} 1`, `{engine="1"} 0`) +
    gauge("vllm:engine_sleep_state", `{engine="0",sleep_state="awake"} 1`) +
    "# TYPE vllm:request_success counter\n" +
    [["0", "stop", at], ["0", "length", 2 * at], ["1", "stop", 0], ["1", "length", 0]]
      .map(([engine, reason, count]) =>
        `vllm:request_success_total{engine="${engine}",finished_reason="${reason}"} ${count}\n`
      ).join("");
  const { roles } = reportOfEndpoints({
    "http://a/metrics": [0, 1, 2, 3].map((at) => [at, page(at)]),
  });
  const requests = roles.figure("requests");
  assert.deepEqual([requests?.stats["total"], requests?.instances, requests?.idleInstances], [
    ...[9, 2, 1],
  ]);
  assert.equal(roles.figure("sleep_state")?.instances, 1);
});

Deno.test("objectives judge the mean of a level over time, files have that of its samples", () => {
  const pageOf = (running: number): string => gauge("vllm:num_requests_running", ` ${running}`);
  const report = reportOfEndpoints({
    "http://a/metrics": [[0, pageOf(1)], [1, pageOf(9)], [3, pageOf(4)], [9, pageOf(50)]],
  });
  // 1 until second 1, 9 until 3, and 4 until 3.5.
  assert.equal(judged(report, "server.running.avg<=7").found, "6.83 requests");
  assert.equal(judged(report, "server.vllm:num_requests_running.avg<=7").found, "6.83 requests");
  assert.equal(report.roles.figure("running")?.stats["avg"], 6.5);
  const part = report.within?.({
    startNs: report.startNs + 1_000_000_000n,
    endNs: report.startNs + 2_500_000_000n,
  });
  assert.equal(part?.roles.figure("running")?.stats["avg"], (9 * 1.5) / 1.5);
});

Deno.test("percentages become shares", () => {
  const page = gauge("llamacpp:kv_cache_usage_ratio", " 63");
  const report = reportOfEndpoints({ "http://a/metrics": [[1, page], [2, page]] });
  assert.equal(report.roles.figure("kv_usage")?.stats["max"], 0.63);
});

Deno.test("an objective selects instances by label, and says so where there are none", () => {
  const page = gauge(
    "sglang:num_running_reqs",
    '{engine_type="prefill"} 2',
    '{engine_type="decode"} 7',
  );
  const report = reportOfEndpoints({ "http://a/metrics": [[1, page], [2, page]] });
  assert.equal(judged(report, "server.running.max<10").found, "9 requests");
  assert.equal(judged(report, "server.running{engine_type=decode}.max<10").found, "7 requests");
  assert.equal(
    judged(report, "server.sglang:num_running_reqs{engine_type=prefill}.max<9").found,
    "2 requests",
  );
  const none = judged(report, "server.running{engine_type=x}.max<10");
  assert.deepEqual(
    [none.met, none.remark],
    [false, 'no server reports "running" with {engine_type=x}'],
  );
});

Deno.test("a failure that no server has counted yet is zero", () => {
  const page = (count: number) =>
    "# TYPE vllm:request_success counter\n" +
    `vllm:request_success_total{finished_reason="stop"} ${count}\n`;
  const report = reportOfEndpoints({ "http://a/metrics": [[0, page(1)], [1, page(5)]] });
  assert.equal(report.roles.figure("requests")?.stats["total"], 4);
  assert.equal(report.roles.figure("failures")?.stats["total"], 0);
});

Deno.test("a run without a scrape of its own is judged by the page after it, with that remark", () => {
  const pageOf = (running: number): string => gauge("vllm:num_requests_running", ` ${running}`);
  const pages: TimedPage[] = [[0, pageOf(1)], [1.2, pageOf(3)], [1.5, pageOf(0)]];
  const report = reportOfEndpoints({ "http://a/metrics": pages }, { start: 0.2, end: 1 });
  const remark = "no scrape fell between start and end: value of the page 0.2 s after the end";
  for (const name of ["server.running", "server.vllm:num_requests_running"]) {
    const gate = judged(report, `${name}.max<4`);
    assert.deepEqual([gate.met, gate.found, gate.conclusive], [true, "3 requests", false], name);
    assert.equal(gate.remark, remark);
  }
  const before = reportOfEndpoints({ "http://a/metrics": pages.slice(0, 1) }, {
    start: 0.2,
    end: 1,
  });
  assert.match(judged(before, "server.running.max<4").remark ?? "", /page 1 s before the end$/);
});

Deno.test("the transfer queues of a pool count where a page has only its own", () => {
  const pageOf = (pool: string, ...queues: readonly (readonly [string, number])[]): TimedPage[] => {
    const page = queues.map(([name, value]) =>
      gauge(`sglang:num_${name}_queue_reqs`, `{engine_type="${pool}"} ${value}`)
    ).join("");
    return [[1, page], [2, page], [3, page]];
  };
  const { roles } = reportOfEndpoints({
    "http://p/metrics": pageOf("prefill", ["prefill_bootstrap", 2], ["prefill_inflight", 1]),
    "http://d/metrics": pageOf("decode", ["decode_transfer", 4]),
  });
  const waiting = (pools?: readonly ("prefill" | "decode")[]) =>
    roles.figure("waiting_pd", { pools })?.stats["max"];
  assert.deepEqual([waiting(), waiting(["prefill"]), waiting(["decode"])], [7, 3, 4]);
});
