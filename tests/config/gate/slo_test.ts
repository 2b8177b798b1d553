import assert from "node:assert/strict";
import { missingFor } from "../../../src/config/gate/missing_for.ts";
import { parseSlos, type Slo } from "../../../src/config/gate/slo.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";

const READ: readonly (readonly [text: string, slo: Partial<Slo>])[] = [
  ["ttft.p99<500ms", { metric: "time_to_first_token", statistic: "p99", threshold: 500 }],
  ["TTFT.P99 <= 0.5 s", { name: "ttft.p99", operator: "<=", threshold: 0.5, unit: "s" }],
  ["itl.median<20ms", { metric: "inter_token_latency", statistic: "p50" }],
  ["latency<2s", { name: "latency.avg", metric: "request_latency", statistic: "avg" }],
  ["gap.p95<=10000us", { metric: "inter_chunk_latency", unit: "us" }],
  ["error_rate<0.1%", { name: "error_rate", metric: "request_error_rate", statistic: "avg" }],
  ["goodput>20", { metric: "goodput", operator: ">", threshold: 20, unit: "" }],
  ["throughput>=1e3tokens/s", { metric: "output_token_throughput", threshold: 1000 }],
  ["throughput>10/s", { metric: "output_token_throughput" }],
  ["throughput>10requests/s", { metric: "request_throughput" }],
  ["rps>600/min", { metric: "request_throughput", unit: "/min" }],
  ["time-to-first-token.max<1min", { metric: "time_to_first_token", statistic: "max" }],
  ["effective_concurrency.p95<32", { metric: "effective_concurrency" }],
  ["server.kv_cache_usage.max<0.95", {
    ...{ source: "server" as const, metric: "kv_cache_usage", statistic: "max" },
    name: "server.kv_cache_usage.max",
  }],
  ["server.kv_cache_usage{engine_type=decode}.max<0.9", {
    ...{ metric: "kv_cache_usage", statistic: "max", threshold: 0.9 },
    ...{ selector: [["engine_type", "decode"]] },
    name: "server.kv_cache_usage{engine_type=decode}.max",
  }],
  ['server.vllm:num_requests_running{model_name="a<b, c", engine = 0}.max<=3', {
    ...{ metric: "vllm:num_requests_running", operator: "<=", threshold: 3 },
    ...{ selector: [["model_name", "a<b, c"], ["engine", "0"]] },
    name: 'server.vllm:num_requests_running{model_name="a<b, c",engine=0}.max',
  }],
  ["server.vllm:num_requests_waiting.mean<1", {
    ...{ metric: "vllm:num_requests_waiting", statistic: "avg" },
  }],
  ["depth0.ttft.p99<2s", {
    ...{ name: "depth0.ttft.p99", metric: "depth0.time_to_first_token", statistic: "p99" },
    ...{ source: "client" as const, unit: "s" },
  }],
  ["agent.general-purpose.itl.p95<30ms", {
    ...{ name: "agent.general-purpose.itl.p95", statistic: "p95" },
    metric: "agent.general-purpose.inter_token_latency",
  }],
  ["Depth12.hit_rate >= 80%", {
    ...{
      name: "depth12.hit_rate",
      metric: "depth12.overall_usage_prompt_cache_read_pct",
      unit: "%",
    },
  }],
  ["agent.explore-v1.2.hit_rate>=80%", {
    ...{ name: "agent.explore-v1.2.hit_rate", statistic: "avg" },
    metric: "agent.explore-v1.2.overall_usage_prompt_cache_read_pct",
  }],
  ["agent.explore-v1.2.ttft.p99<2s", {
    ...{ name: "agent.explore-v1.2.ttft.p99", statistic: "p99" },
    metric: "agent.explore-v1.2.time_to_first_token",
  }],
  ["session.tree_duration.p95<2min", { metric: "session_tree_duration", statistic: "p95" }],
  ["session.hit_share>=90%", { metric: "session_hit_share", statistic: "avg" }],
  ["gpu.power.max<700W", {
    ...{ name: "gpu.power.max", source: "gpu" as const, metric: "power", unit: "W" },
  }],
  ["GPU.NVIDIA-power-usage.P99 <= 0.7kW", { name: "gpu.nvidia_power_usage.p99", unit: "kW" }],
  ["gpu.energy_per_output_token<0.5J/token", { statistic: "avg", source: "gpu" }],
  ["energy_per_request<40J", { name: "gpu.energy_per_request", source: "gpu" }],
  ["gpu.tokens_per_joule>2tokens/J", { name: "gpu.tokens_per_joule" }],
  ["gpu.energy<1kWh", { metric: "energy", unit: "kWh" }],
  ["gpu.temperature.max<85°C", { metric: "temperature" }],
  ["gpu.memory.max<74.5GiB", { metric: "memory" }],
  ["gpu.utilization.p50>50%", { metric: "utilization" }],
  ["gpu.goodput_per_watt>0.01requests/s/W", { metric: "goodput_per_watt" }],
];

Deno.test("parseSlos reads metrics by tags and short names, with units", () => {
  for (const [text, expected] of READ) {
    const [slo, ...others] = parseSlos([text]);
    assert.equal(others.length, 0);
    for (const [name, value] of Object.entries(expected)) {
      assert.deepEqual(slo?.[name as keyof Slo], value, `${text}: ${name}`);
    }
  }
  assert.equal(parseSlos(["ttft.p50<1,itl.p50<1", "goodput>1"]).length, 3);
});

Deno.test("parseSlos knows every metric of docs/metrics.md, and its unit", async () => {
  const text = await Deno.readTextFile(new URL("../../../docs/metrics.md", import.meta.url));
  const [ours = ""] = text.split("## What AIPerf has");
  const rows = [...ours.matchAll(/^\| `([a-z0-9_]+)` +\| .*? +\| (.*?) +\|/gm)];
  assert.ok(rows.length > 80);
  for (const [, tag = "", unit = ""] of rows) {
    for (const name of [tag, tag.replaceAll("_", "-"), tag.toUpperCase()]) {
      assert.equal(parseSlos([`${name} < 5 ${unit}`])[0]?.metric, tag);
    }
  }
});

const REFUSED: readonly (readonly [text: string, message: RegExp])[] = [
  ["tttf.p99<500ms", /Unknown metric "tttf", did you mean "ttft"\?/],
  ["ttft.p98<500ms", /Unknown statistic "p98" of "ttft", did you mean "p9\d"\?/],
  ["ttft.p99<500tokens", /"time_to_first_token" is in ms, not in "tokens"/],
  ["ttft.p99<500lightyears", /Unknown unit "lightyears"/],
  ["ttft.p99<5currency", /"time_to_first_token" is in ms, not in "currency"/],
  ["ttft.count>3ms", /"ttft.count" is a number, not in "ms"/],
  ["gpu.power.count>3W", /"gpu.power.count" is a number, not in "W"/],
  ["ttft.p99<", /Expected a number/],
  ["ttft.p99<fast", /Expected a number/],
  ["ttft.p99<1e999", /must be finite/],
  ["ttft.p99=500", /one of < <= > >=/],
  ["error_rate.p99<1%", /"error_rate" is one value/],
  ["ttft.p99.max<1", /Unknown statistic "p99.max"/],
  ["qwertyuiop<1", /Unknown metric "qwertyuiop", known are ttft/],
  ["server.running{a}.max<1", /Labels must be as in server\.kv_cache_usage\{engine_type=decode\}/],
  ["server.running{a=1.max<1", /needs a name and a statistic/],
  ["server.kv_cache_usage<1", /needs a name and a statistic/],
  ["server.kv_cache_usage.maks<1", /Unknown statistic "maks", did you mean "max"\?/],
  ["server.a b.max<1", /no name of a server's metric/],
  ["gpu.powr.max<700W", /Unknown metric "gpu.powr" of GPUs, did you mean "gpu.power"\?/],
  ["gpu.qwertyuiop<1", /"gpu.qwertyuiop" of GPUs, known are power, energy/],
  ["gpu.power.maxx<700W", /Unknown statistic "maxx" of "gpu.power", did you mean "max"\?/],
  ["gpu.energy_per_request.p99<1J", /"gpu.energy_per_request" is one value/],
  ["gpu.power.max<700J", /"gpu.power" is in W, not in "J"/],
  ["gpu.energy_per_output_token<1J/request", /is in mJ\/token, not in "J\/request"/],
  ["gpu.sm_clock.max<1500MHz", /Unknown metric "gpu.sm_clock"/],
  [
    "energy_per_reqest<40J",
    /Unknown metric "energy_per_reqest", did you mean "gpu.energy_per_request/,
  ],
];

Deno.test("parseSlos refuses what it does not know, with the nearest", () => {
  for (const [text, message] of REFUSED) {
    assert.throws(
      () => parseSlos([text]),
      (error) => error instanceof UsageError && message.test(error.message),
      text,
    );
  }
});

Deno.test("parseSlos reads figures of a user's own fields of GPUs", () => {
  const custom = [{ key: "nvidia_sm_clock", unit: "MHz", isOne: false }];
  const [slo] = parseSlos(["gpu.sm_clock.max<1.5GHz"], custom);
  assert.equal(slo?.name, "gpu.sm_clock.max");
});

Deno.test("missingFor knows what a run cannot have", () => {
  const [ttft, latency, server] = parseSlos(["ttft<1", "latency<1", "server.x.max<1"]) as [
    ...[Slo, Slo, Slo],
  ];
  const run = { streaming: false, serverMetrics: false };
  assert.equal(missingFor(ttft, run), "--streaming");
  assert.equal(missingFor(latency, run), undefined);
  assert.equal(missingFor(server, run), "the servers' metrics");
  const [gpu] = parseSlos(["gpu.power<1"]) as [Slo];
  assert.equal(missingFor(gpu, { ...run, gpuTelemetry: false }), "GPU telemetry");
  assert.equal(missingFor(gpu, { ...run, gpuTelemetry: true }), undefined);
  assert.equal(missingFor(ttft, { ...run, streaming: true }), undefined);
  for (const own of parseSlos(["depth0.ttft.p99<1", "agent.explore.itl<1"])) {
    assert.equal(missingFor(own, run), "--streaming", own.name);
    assert.equal(missingFor(own, { ...run, streaming: true }), undefined, own.name);
  }
  assert.equal(missingFor(server, { ...run, serverMetrics: true }), undefined);
});

Deno.test("parseSlos takes commas between objectives, not those between labels", () => {
  const slos = parseSlos([
    "ttft<1, server.running{a=1,b=2}.max<3,latency<2",
    "server.waiting{c=d}.avg<1",
  ]);
  assert.deepEqual(slos.map(({ name }) => name), [
    "ttft.avg",
    "server.running{a=1,b=2}.max",
    "latency.avg",
    "server.waiting{c=d}.avg",
  ]);
});
