import assert from "node:assert/strict";
import { type GateResult, judgeSlos } from "../../../src/config/gate/judge_slos.ts";
import type { JudgedRun } from "../../../src/config/gate/judged_run.ts";
import type { JudgedServers, ServerFigures } from "../../../src/config/gate/server_figure.ts";
import type { SamplingErrors } from "../../../src/measurement/sampling/sampling_errors.ts";
import type { StatisticError } from "../../../src/measurement/own_error/measurement_error.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";

const gauge = (name: string, max: number, series: string, unit: string | null = null) =>
  ({ name, unit, stats: { "avg": max / 2, "max": max }, series }) satisfies ServerFigures;

/** Servers with these series and roles. */
function judged(
  series: readonly ServerFigures[],
  roles: Readonly<Record<string, ServerFigures>> = {},
): JudgedServers {
  return { series, role: (name, selector) => selector.length === 0 ? roles[name] : undefined };
}

const RUN: JudgedRun = {
  client: new Map([
    ["time_to_first_token", {
      unit: "ms",
      stats: { "avg": 60, "p50": 60.5, "p99": 500.4, "count": 80 },
    }],
    ["inter_token_latency", { unit: "ms", stats: { "p99": 8.34 } }],
    ["request_error_rate", { unit: "%", stats: { "avg": 0 } }],
    ["request_throughput", { unit: "requests/sec", stats: { "avg": 27.1 } }],
    ["good_request_fraction", { unit: "ratio", stats: { "avg": 0.94 } }],
  ]),
  server: judged([
    gauge("vllm:kv_cache_usage_perc", 0.5, "a", "ratio"),
    gauge("vllm:kv_cache_usage_perc", 0.97, "b", "ratio"),
    gauge("vllm:num_requests_waiting", 3, "a"),
    {
      name: "vllm:time_to_first_token_seconds",
      unit: "seconds",
      stats: { "count": 10, "p99_estimate": 0.12 },
      series: "a",
    },
    { name: "vllm:generation_tokens_total", unit: "tokens", stats: { "rate": 50 }, series: "a" },
  ], {
    // What both instances are together.
    "kv_usage": gauge("kv_usage", 0.97, "vLLM", "ratio"),
    "running": { ...gauge("running", 12, "vLLM"), instances: 2 },
    "waiting": gauge("waiting", 3, "vLLM"),
  }),
  gpu: [
    {
      ...{ name: "nvidia_power_usage", unit: "W", series: "GPU 0 of h" },
      stats: { "avg": 300, "max": 410 },
    },
    {
      ...{ name: "nvidia_power_usage", unit: "W", series: "GPU 1 of h" },
      stats: { "avg": 350, "max": 400 },
    },
    { name: "nvidia_memory_used", unit: "GB", series: "GPU 0 of h", stats: { "avg": 70 } },
    {
      ...{ name: "nvidia_energy_per_output_token", unit: "mJ/token", series: "nvidia" },
      stats: { "avg": 420 },
    },
    { name: "amd_energy_consumption", unit: "MJ", series: "GPU 3 of i", stats: { "avg": 0.002 } },
  ],
  bounds: new Map([
    ["inter_token_latency", { "p99": bounded(7.9, 8.39) }],
    ["time_to_first_token", { "p50": bounded(60, 60.6) }],
  ]),
};

function judge(text: string, run = RUN): GateResult {
  return judgeSlos(parseSlos([text]), run)[0] as GateResult;
}

function bounded(lower: number, upper: number): StatisticError {
  return { lower, upper, verdict: "valid" };
}

Deno.test("judgeSlos holds figures against thresholds in the unit that was written", () => {
  const rows: readonly (readonly [text: string, met: boolean, found: string])[] = [
    ["ttft.p50<100ms", true, "60.5 ms"],
    ["ttft.p50<0.05s", false, "0.0605 s"],
    ["ttft.avg<=60", true, "60 ms"],
    // No more decimals than it takes to see on which side it is.
    ["ttft.p99<500ms", false, "500.4 ms"],
    ["ttft.p99<501ms", true, "500 ms"],
    ["ttft.count>=80", true, "80"],
    ["error_rate<0.1%", true, "0 %"],
    ["good>=90%", true, "94 %"],
    ["rps>1500/min", true, "1,626 /min"],
    ["server.waiting.max<3", false, "3"],
    ["server.running.max<13", true, "12"],
    ["server.vllm:time_to_first_token_seconds.p99<100ms", false, "120 ms"],
    ["server.time_to_first_token_seconds.p99_estimate<1", true, "0.12 s"],
    ["server.generation_tokens.rate>40tokens/s", true, "50 tokens/s"],
  ];
  for (const [text, met, found] of rows) {
    const gate = judge(text);
    assert.equal(gate.met, met, text);
    assert.equal(gate.found, found, text);
    assert.equal(gate.doubtful, false, text);
  }
});

Deno.test("judgeSlos takes the worst of several series, and says which", () => {
  const max = judge("server.kv_cache_usage_perc.max<0.95");
  assert.equal(max.met, false);
  assert.match(max.remark ?? "", /worst of 2 series: b/);
  const min = judge("server.kv_cache_usage_perc.max>0.6");
  assert.equal(min.met, false);
  assert.match(min.remark ?? "", /series: a/);
  assert.equal(judge("server.kv_cache_usage_perc.max<98%").met, true);
  // A role is one number, over all instances.
  const role = judge("server.running.max<12");
  assert.deepEqual([role.met, role.remark], [false, "over 2 instances"]);
});

Deno.test("judgeSlos holds GPUs against thresholds, the worst of them", () => {
  const rows: readonly (readonly [text: string, met: boolean, found: string])[] = [
    ["gpu.power.max<0.405kW", false, "0.41 kW"],
    ["gpu.power<350.5", true, "350 W"],
    ["gpu.energy_per_output_token<0.5J/token", true, "0.42 J/token"],
    ["energy_per_output_token<400mJ", false, "420 mJ"],
    ["gpu.memory<65.2GiB", true, "65.19 GiB"],
    ["gpu.energy_consumption<2.5kJ", true, "2 kJ"],
    ["gpu.amd_energy_consumption<1.9kJ", false, "2 kJ"],
  ];
  for (const [text, met, found] of rows) {
    const gate = judge(text);
    assert.deepEqual([gate.met, gate.found], [met, found], text);
  }
  assert.match(judge("gpu.power.max<405W").remark ?? "", /worst of 2 GPUs: GPU 0 of h/);
  const none = judge("gpu.temperature.max<85°C");
  assert.deepEqual([none.met, none.remark], [false, 'no GPU reports "temperature"']);
  const off = judge("gpu.power<1W", { ...RUN, gpu: undefined });
  assert.match(off.remark ?? "", /name exporters with --gpu-telemetry/);
});

Deno.test("judgeSlos meets nothing with a figure that is not there", () => {
  const rows: readonly (readonly [text: string, remark: RegExp])[] = [
    ["server.num_requests_wating.max<1", /did you mean "num_requests_waiting"\?/],
    ["server.waiting.p99_estimate<1", /has no p99_estimate, but avg, max/],
    ["latency.p99<1s", /the run has no request_latency/],
    ["ttft.p10<1s", /the run has no time_to_first_token/],
    ["server.time_to_first_token_seconds.p99<5%", /is in seconds, not in %/],
  ];
  for (const [text, remark] of rows) {
    const gate = judge(text);
    assert.equal(gate.met, false, text);
    assert.match(gate.remark ?? "", remark, text);
  }
  const without = judge("server.waiting.max<1", { ...RUN, server: undefined });
  assert.match(without.remark ?? "", /no server metrics were collected/);
});

Deno.test("judgeSlos counts every successful request as good where nothing was asked of them", () => {
  const gate = judge("goodput>20");
  assert.equal(gate.met, true);
  assert.match(gate.remark ?? "", /without --goodput/);
  const rate = { unit: "%", stats: { "avg": 4 } };
  const client = new Map([["request_error_rate", rate]]);
  const share = judge("good>=96%", { ...RUN, client });
  assert.equal(share.found, "96 %");
  assert.equal(share.met, true);
});

Deno.test("judgeSlos doubts requests that count as good as it doubts their rate", () => {
  const bounds: JudgedRun["bounds"] = new Map([...RUN.bounds, [
    "request_throughput" as const,
    { "avg": bounded(27.1, 28.5) },
  ]]);
  const gate = judge("goodput<28", { ...RUN, bounds });
  assert.deepEqual([gate.met, gate.doubtful], [true, true]);
  assert.match(gate.remark ?? "", /without --goodput.*; 27\.1 to 28\.5 requests\/s is possible/);
  assert.equal(judge("goodput<29", { ...RUN, bounds }).doubtful, false);
});

Deno.test("judgeSlos says where the client's own error could have changed a verdict", () => {
  const doubtful = judge("itl.p99<8ms");
  assert.equal(doubtful.met, false);
  assert.equal(doubtful.doubtful, true);
  assert.match(doubtful.remark ?? "", /7\.9 to 8\.39 ms is possible/);
  // Met, but only just.
  assert.equal(judge("itl.p99<8.35ms").met, true);
  assert.equal(judge("itl.p99<8.35ms").doubtful, true);
  assert.equal(judge("itl.p99<8.35ms").conclusive, false);
  // Certain either way.
  assert.equal(judge("itl.p99<8.5ms").conclusive, true);
  assert.equal(judge("itl.p99<7ms").doubtful, false);
  assert.match(judge("itl.p99<7ms").remark ?? "", /client error at most 0\.44 ms/);
  // Bounds are in the unit that was written, too.
  assert.equal(judge("ttft.p50<0.06055s").doubtful, true);
});

Deno.test("judgeSlos tells a range without an end in words", () => {
  const bounds: JudgedRun["bounds"] = new Map([
    ["inter_token_latency", { "p99": bounded(7.9, Number.MAX_VALUE) }],
  ]);
  const run = { ...RUN, bounds };
  const doubtful = judge("itl.p99<500ms", run);
  assert.equal(doubtful.doubtful, true);
  assert.match(doubtful.remark ?? "", /7\.9 ms or more is possible$/);
  assert.equal(doubtful.figures["upper"], Number.MAX_VALUE);
  const lower: JudgedRun["bounds"] = new Map([
    ["inter_token_latency", { "p99": bounded(-3, 9) }],
  ]);
  const negative = { ...RUN, bounds: lower };
  assert.match(judge("itl.p99<8.5ms", negative).remark ?? "", /(?:^|; )0 to 9 ms is possible/);
  const missed = judge("itl.p99<1ms", run);
  assert.equal(missed.remark, undefined);
  const microseconds = judge("itl.p99<500000us", run);
  assert.equal(microseconds.figures["upper"], Number.MAX_VALUE);
});

Deno.test("judgeSlos decides no objective on a metric that the run biases", () => {
  const run: JudgedRun = {
    ...RUN,
    client: new Map([...RUN.client, ["session_duration", { unit: "sec", stats: { "p95": 9 } }]]),
    undecided: new Map([["session_duration", "the end of the run cut off 30 % of the sessions"]]),
  };
  const [gate, other] = judgeSlos(parseSlos(["session.duration.p95<10s,error_rate<1%"]), run);
  assert.deepEqual([gate?.met, gate?.conclusive], [true, false]);
  assert.match(gate?.remark ?? "", /cut off 30 %/);
  assert.equal(other?.conclusive, true);
});

Deno.test("the requests that are needed are those of the run, also for values of sessions", () => {
  const run: JudgedRun = {
    ...RUN,
    client: new Map([
      ["request_count", { unit: "requests", stats: { "avg": 800 } }],
      ["session_duration", { unit: "sec", stats: { "avg": 10, "count": 20 } }],
      ["request_latency", { unit: "ms", stats: { "avg": 10, "count": 790 } }],
      ["answers_drift", { unit: "ratio", stats: { "avg": 0.1 } }],
    ]),
    sampling: new Map([
      ["session_duration", { "avg": { lower: 8, upper: 12, verdict: "proven" } }],
      ["request_latency", { "avg": { lower: 8, upper: 12, verdict: "proven" } }],
      ["answers_drift", { "avg": { lower: 0.08, upper: 0.12, verdict: "proven" } }],
    ]) as ReadonlyMap<string, unknown> as SamplingErrors,
  };
  const neededOf = (text: string): number | undefined => {
    const [result] = judgeSlos(parseSlos([text]), run);
    assert.equal(result?.conclusive, false, text);
    return result?.requestsNeeded;
  };
  // The interval ends at the limit if it is half as wide, which takes four times as many.
  assert.equal(neededOf("request_latency.avg<11ms"), 4 * 790);
  assert.equal(neededOf("session.duration.avg<11s"), 4 * 800);
  assert.equal(neededOf("answers.drift<11%"), undefined);
});
