import assert from "node:assert/strict";
import { stringify } from "npm:yaml@2.9.1";
import { importedFiles } from "../../../src/results/foreign/imported_files.ts";
import { readForeign } from "../../../src/results/foreign/read_foreign.ts";
import { slotStarts } from "../../../src/results/foreign/read_sglang.ts";
import { openStoredRun } from "../../../src/results/collect/open_stored_run.ts";
import { openExportedView } from "../../../src/results/collect/exported_view.ts";
import { withFolder } from "../../support/artifacts.ts";
import { runCli } from "../../support/run_cli.ts";

const FIXTURES = new URL("../../../fixtures/import/", import.meta.url);
const vllmText = await Deno.readTextFile(new URL("vllm_result.json", FIXTURES));
const vllm = JSON.parse(vllmText);
const guidellmText = await Deno.readTextFile(new URL("guidellm_benchmarks.json", FIXTURES));
/** What vLLM leaves out without --save-detailed. */
const DETAILS = [
  "input_lens",
  "output_lens",
  "start_times",
  "ttfts",
  "itls",
  "generated_texts",
  "errors",
];

// deno-lint-ignore no-explicit-any
function summaryIn(text: string, path = "a.json"): any {
  const { results } = readForeign(text, path, undefined, 1e12);
  return JSON.parse(importedFiles(results[0] as typeof results[number])[0]?.[1] as string);
}

const near = (a: number, b: number): void =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.abs(b), `${a} ${b}`);

/** The result as SGLang writes it: its keys, no starts, no latencies. */
function sglangLine(): Record<string, unknown> {
  const { itls, ttfts, errors, input_lens, output_lens, duration, completed } = vllm;
  return {
    backend: "sglang-oai-chat",
    request_rate: null,
    max_concurrency: 8,
    duration,
    completed,
    total_output_tokens_retokenized: 1,
    mean_e2e_latency_ms: 3,
    median_e2e_latency_ms: 2,
    p99_e2e_latency_ms: 9,
    mean_ttft_ms: 1,
    mean_tpot_ms: 1,
    mean_itl_ms: 1,
    request_throughput: 4,
    itls,
    ttfts,
    errors,
    input_lens,
    output_lens,
  };
}

Deno.test("vLLM's requests give the figures that vLLM computed from them", () => {
  const summary = summaryIn(vllmText);
  near(summary.time_to_first_token.avg, vllm.mean_ttft_ms);
  near(summary.time_to_first_token.p99, vllm.p99_ttft_ms);
  near(summary.inter_token_latency.avg, vllm.mean_tpot_ms);
  near(summary.inter_token_latency.std, vllm.std_tpot_ms);
  near(summary.inter_chunk_latency.p50, vllm.median_itl_ms);
  near(summary.request_latency.p99, vllm.p99_e2el_ms);
  assert.equal(summary.request_throughput.avg, vllm.request_throughput);
  assert.equal(summary.goodput.avg, vllm.request_goodput);
  // Older versions called it so.
  const { request_goodput: goodput, ...others } = vllm;
  const older = summaryIn(JSON.stringify({ ...others, "request_goodput:": goodput }));
  assert.equal(older.goodput.avg, goodput);
  assert.equal(summary.request_count.avg, 40);
});

/** A result without some keys. */
const without = (keys: readonly string[], result = vllm): Record<string, unknown> =>
  Object.fromEntries(Object.entries(result).filter(([key]) => !keys.includes(key)));

Deno.test("vLLM's result without --save-detailed has its statistics and the latencies", () => {
  const short = without([...DETAILS, ...Object.keys(vllm).filter((key) => key.includes("e2el"))]);
  const summary = summaryIn(JSON.stringify({ ...short, latencies: [0, ...vllm.latencies] }));
  near(summary.request_latency.p99, vllm.p99_e2el_ms);
  assert.equal(summary.time_to_first_token.avg, vllm.mean_ttft_ms);
  assert.equal(summary.time_to_first_token.count, undefined);
  assert.equal(summary.output_token_throughput.avg, vllm.output_throughput);
  assert.equal(summary.error_request_count.avg, 1);
  assert.match(summary.notes[1], /only the latencies of requests/);
});

Deno.test("vLLM's older results without requests keep their statistics, and say so", () => {
  const summary = summaryIn(JSON.stringify(without([...DETAILS, "latencies", "queue_times"])));
  assert.deepEqual(summary.request_latency, {
    unit: "ms",
    avg: vllm.mean_e2el_ms,
    p50: vllm.median_e2el_ms,
    p99: vllm.p99_e2el_ms,
    std: vllm.std_e2el_ms,
  });
  assert.match(summary.notes[0], /only statistics/);
});

Deno.test("results without requests keep how many there were, how many failed, and their time", () => {
  const summary = summaryIn(
    JSON.stringify({
      ...without([...DETAILS, "latencies", "queue_times"]),
      completed: 30,
      failed: 10,
    }),
  );
  assert.equal(summary.request_count.avg, 30);
  assert.equal(summary.error_request_count.avg, 10);
  assert.equal(summary.request_error_rate.avg, 25);
  assert.equal(summary.benchmark_duration.avg, vllm.duration);
  // SGLang does not say how many failed.
  const sglang = summaryIn(
    JSON.stringify(without(["itls", "ttfts", "errors"], sglangLine())),
    "a.jsonl",
  );
  assert.equal(sglang.request_count.avg, vllm.completed);
  assert.equal(sglang.error_request_count ?? sglang.request_error_rate, undefined);
});

Deno.test("results of embeddings have no tokens out", () => {
  const pooling = {
    ...without([...DETAILS, "total_output_tokens", "output_throughput", "request_goodput"]),
    ...Object.fromEntries(
      Object.keys(vllm).filter((key) => /ttft|tpot|itl_/.test(key)).map(
        (key) => [key, undefined],
      ),
    ),
    "endpoint_type": "openai-embeddings",
    "total_input_sequences": 80,
    "input_sequence_throughput": 1,
    "input_lens": vllm.input_lens,
    errors: vllm.errors,
  };
  const summary = summaryIn(JSON.stringify(pooling));
  assert.equal(summary.input_config.endpoint.type, "embeddings");
  near(summary.request_latency.p50, vllm.median_e2el_ms);
  near(summary.input_sequence_length.avg, vllm.total_input_tokens / 40);
  for (const tag of ["time_to_first_token", "inter_chunk_latency", "output_token_throughput"]) {
    assert.equal(summary[tag], undefined);
  }
  const zeros = { "mean_ttft_ms": 0, "mean_tpot_ms": 0, "mean_itl_ms": 0, "output_throughput": 0 };
  const sglang = without(["itls", "ttfts"], { ...sglangLine(), ...zeros });
  const figures = summaryIn(JSON.stringify({ ...sglang, backend: "sglang-embedding" }), "a.jsonl");
  assert.equal(figures.input_config.endpoint.type, "embeddings");
  assert.equal(figures.request_latency.avg, 3);
  assert.equal(figures.time_to_first_token ?? figures.output_token_throughput, undefined);
});

Deno.test("SGLang's lines are runs; starts are made from their order and the slots", () => {
  const text = `${JSON.stringify(sglangLine())}\n${JSON.stringify(sglangLine())}\n`;
  const { source, results } = readForeign(text, "a.jsonl", undefined, 1e12);
  assert.equal(source, "sglang");
  assert.equal(results.length, 2);
  const latency = vllm.ttfts[0] + vllm.itls[0].reduce((sum: number, gap: number) => sum + gap, 0);
  near(results[0]?.requests?.[0]?.latencyMs as number, latency * 1e3);
  assert.deepEqual(slotStarts([10, 5, 1, 1], 2), [0, 0, 5e6, 6e6]);
});

Deno.test("GuideLLM's requests are read with its definitions", () => {
  const { source, results } = readForeign(guidellmText, "b.json", undefined, 0);
  assert.equal(source, "guidellm");
  const [first] = JSON.parse(guidellmText).benchmarks[0].requests.successful;
  const request = results[0]?.requests?.find(({ latencyMs }) =>
    latencyMs === first.request_latency * 1e3
  );
  assert.equal(request?.ttftMs, first.time_to_first_token_ms);
  assert.equal(request?.itlMs, first.inter_token_latency_ms);
  // The file has 8 of its 20 requests: the figures are GuideLLM's own.
  const summary = summaryIn(guidellmText);
  const own = JSON.parse(guidellmText).benchmarks[0].metrics.request_latency.successful;
  near(summary.request_latency.avg, own.mean * 1e3);
  near(summary.request_latency.p95, own.percentiles.p95 * 1e3);
  assert.equal(summary.request_count.avg, 20);
  assert.equal(summary.error_request_count.avg, 0);
  assert.equal(summary.output_token_throughput, undefined);
});

Deno.test("GuideLLM's YAML says the same as its JSON, and 0.3 has its facts elsewhere", () => {
  const whole = JSON.parse(guidellmText);
  assert.deepEqual(summaryIn(stringify(whole), "b.yaml"), summaryIn(guidellmText));
  assert.throws(() => readForeign("a: [", "x.yml", undefined, 0), /x\.yml: Not YAML/);
  const [benchmark] = whole.benchmarks;
  const { "request_totals": totals, ...metrics } = benchmark.metrics;
  const old = {
    "request_totals": totals,
    metrics,
    args: { strategy: { "type_": "concurrent", streams: 4 } },
    worker: { "backend_target": "http://h:1", "backend_model": "m" },
    "start_time": benchmark.start_time,
    "end_time": benchmark.end_time,
    duration: benchmark.duration,
    requests: benchmark.requests,
  };
  const summary = summaryIn(JSON.stringify({ benchmarks: [old] }));
  assert.deepEqual(summary.input_config.models.items, [{ name: "m" }]);
  assert.deepEqual(summary.input_config.endpoint.urls, ["http://h:1"]);
  assert.equal(summary.input_config.phases[0].concurrency, 4);
  assert.equal(summary.input_config.phases[0].requests, totals.total);
});

Deno.test("an imported run opens as runs of this program do", async () => {
  const folder = await Deno.makeTempDir();
  const { results } = readForeign(vllmText, "a.json", "vllm", 0);
  for (const [name, text] of importedFiles(results[0] as typeof results[number])) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const run = await openStoredRun(folder);
  assert.equal(run.product, "vllm/bench_serve");
  near(run.judged.client.get("time_to_first_token")?.stats["p99"] as number, vllm.p99_ttft_ms);
  const { view } = await openExportedView(folder);
  assert.equal(view.profiling.length, 40);
  assert.ok(run.sample.hasRates);
  // Of some tools only a few requests are there.
  const path = `${folder}/profile_export.jsonl`;
  const lines = (await Deno.readTextFile(path)).split("\n");
  await Deno.writeTextFile(path, `${lines.slice(0, 10).join("\n")}\n`);
  assert.ok(!(await openStoredRun(folder)).sample.hasRates);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("AIPerf's folder with the summary alone is imported, also one of its early versions", async () => {
  await withFolder(async (folder) => {
    const early = {
      "time_to_first_token": { "unit": "ms", "avg": 45.1, "p50": 45, "p99": 46 },
      "input_config": {
        "endpoint": { "model_names": ["Qwen/Qwen3-0.6B"], "type": "chat" },
        "loadgen": { "concurrency": 4 },
      },
      "start_time": "2025-10-10T18:00:00.000000",
    };
    await Deno.writeTextFile(`${folder}/profile_export_aiperf.json`, JSON.stringify(early));
    for (const from of [[], ["--from", "aiperf"]]) {
      const out = `${folder}/out${from.length}`;
      const { code, stderr } = await runCli(["import", folder, ...from, "--artifact-dir", out]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /only statistics/);
      const { stdout } = await runCli(["runs", out]);
      assert.match(stdout, /Qwen\/Qwen3-0\.6B .*45\.0 .*46\.0/);
    }
    await Deno.mkdir(`${folder}/none`);
    const none = await runCli(["import", `${folder}/none`, "--from", "aiperf"]);
    assert.match(none.stderr, /none: It holds no run of AIPerf/);
  });
});

Deno.test("a file of no such tool is refused by its name", () => {
  assert.throws(() => readForeign("{}", "x.json", undefined, 0), /x\.json: Not a result of vllm/);
  assert.throws(() => readForeign(vllmText, "x.json", "guidellm", 0), /Not a result of guidellm/);
  assert.throws(() => readForeign("{}\n{oops\n", "x.jsonl", undefined, 0), /x\.jsonl:2: Not JSON/);
});
