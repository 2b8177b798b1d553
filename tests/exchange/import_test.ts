import assert from "node:assert/strict";
import { importedFiles } from "../../src/exchange/imported_files.ts";
import { readForeign } from "../../src/exchange/read_foreign.ts";
import { slotStarts } from "../../src/exchange/read_sglang.ts";
import { openStoredRun } from "../../src/results/open_stored_run.ts";
import { openExportedView } from "../../src/results/exported_view.ts";

const FIXTURES = new URL("../../fixtures/import/", import.meta.url);
const vllmText = await Deno.readTextFile(new URL("vllm_result.json", FIXTURES));
const vllm = JSON.parse(vllmText);
const guidellmText = await Deno.readTextFile(new URL("guidellm_benchmarks.json", FIXTURES));
const DETAILS = [
  "input_lens",
  "output_lens",
  "ttfts",
  "itls",
  "latencies",
  "start_times",
  "queue_times",
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
  assert.equal(summary.request_count.avg, 40);
});

Deno.test("vLLM's result without --save-detailed keeps its statistics, and says so", () => {
  const short = Object.fromEntries(Object.entries(vllm).filter(([key]) => !DETAILS.includes(key)));
  const summary = summaryIn(JSON.stringify(short));
  assert.deepEqual(summary.request_latency, {
    unit: "ms",
    avg: vllm.mean_e2el_ms,
    p50: vllm.median_e2el_ms,
    p99: vllm.p99_e2el_ms,
    std: vllm.std_e2el_ms,
  });
  assert.match(summary.notes[0], /statistics alone/);
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
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a file of no such tool is refused by its name", () => {
  assert.throws(() => readForeign("{}", "x.json", undefined, 0), /x\.json: Not a result of vllm/);
  assert.throws(() => readForeign(vllmText, "x.json", "guidellm", 0), /Not a result of guidellm/);
  assert.throws(() => readForeign("{}\n{oops\n", "x.jsonl", undefined, 0), /x\.jsonl:2: Not JSON/);
});
