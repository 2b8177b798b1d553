import assert from "node:assert/strict";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { sampleRole } from "../../../src/telemetry/prometheus/sample_role.ts";
import { TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";
import { samplesOf, sortedSamplesOf } from "./support/parsed_samples.ts";
import { pageOf } from "./support/plain_samples.ts";

const pagesFolder = new URL("../../../fixtures/prometheus/pages/", import.meta.url);
const capturesFolder = new URL("../../../../shared/cases/prometheus/captures/", import.meta.url);

function contentTypeOf(file: string): string {
  return file.includes(".om.")
    ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
    : "text/plain; version=0.0.4; charset=utf-8";
}

/** Reads a page in every way and returns what it holds by family, role and type. */
function readEveryWay(bytes: Uint8Array, contentType: string): Map<string, number> {
  const strict = parseExposition(bytes, { strict: true, contentType });
  const tolerant = parseExposition(bytes, { contentType });
  assert.deepEqual(tolerant, { families: strict.families, errors: [] });

  const parser = new TextParser();
  const summary = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    const page = parser.parse(bytes, contentType);
    assert.equal(page.problemCount, 0);
    assert.equal(page.metadataVersion, 1);
    assert.deepEqual(sortedSamplesOf(parser, page), pageOf(strict.families));
    summary.clear();
    for (const { name, labels } of samplesOf(parser, page)) {
      const { family, type, role } = sampleRole(name, labels, page.metadata);
      const key = `${family} ${type} ${role}`;
      summary.set(key, (summary.get(key) ?? 0) + 1);
    }
  }
  return summary;
}

/** What the pages hold, line by line: family, type, role, number of samples. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "dynamo.prom": [
    "dynamo_component_inflight_requests gauge value 1",
    "dynamo_component_request_duration_seconds histogram bucket 12",
    "dynamo_component_request_duration_seconds histogram count 1",
    "dynamo_component_request_duration_seconds histogram sum 1",
    "dynamo_component_requests counter value 2",
    "uptime_seconds gauge value 1",
  ],
  "sglang.prom": [
    "sglang:cache_hit_rate gauge value 1",
    "sglang:num_retracted_reqs gauge value 1",
    "sglang:num_retracted_reqs_total counter value 1",
    "sglang:prompt_tokens counter value 1",
    "sglang:time_to_first_token_seconds histogram bucket 8",
    "sglang:time_to_first_token_seconds histogram count 1",
    "sglang:time_to_first_token_seconds histogram sum 1",
    "sglang:token_usage gauge value 1",
  ],
  "tensorrt_llm.prom": [
    "trtllm_e2e_request_latency_seconds histogram bucket 5",
    "trtllm_e2e_request_latency_seconds histogram count 1",
    "trtllm_e2e_request_latency_seconds histogram sum 1",
    "trtllm_request_success counter value 1",
    "trtllm_time_to_first_token_seconds histogram bucket 5",
    "trtllm_time_to_first_token_seconds histogram count 1",
    "trtllm_time_to_first_token_seconds histogram sum 1",
  ],
  "triton.prom": [
    "nv_gpu_power_usage gauge value 1",
    "nv_gpu_utilization gauge value 1",
    "nv_inference_request_failure counter value 2",
    "nv_inference_request_success counter value 2",
    "nv_inference_request_summary_us summary count 2",
    "nv_inference_request_summary_us summary quantile 6",
    "nv_inference_request_summary_us summary sum 2",
  ],
  "vllm.prom": [
    "process_cpu_seconds counter value 1",
    "process_resident_memory_bytes gauge value 1",
    "python_gc_objects_collected counter value 3",
    "python_info gauge value 1",
    "vllm:cache_config_info gauge value 1",
    "vllm:generation_tokens counter value 2",
    "vllm:generation_tokens_created gauge value 2",
    "vllm:iteration_tokens_total histogram bucket 22",
    "vllm:iteration_tokens_total histogram count 2",
    "vllm:iteration_tokens_total histogram sum 2",
    "vllm:kv_cache_usage_perc gauge value 2",
    "vllm:num_requests_running gauge value 2",
    "vllm:num_requests_waiting gauge value 2",
    "vllm:prompt_tokens counter value 2",
    "vllm:prompt_tokens_created gauge value 2",
    "vllm:request_success counter value 3",
    "vllm:time_to_first_token_seconds histogram bucket 34",
    "vllm:time_to_first_token_seconds histogram count 2",
    "vllm:time_to_first_token_seconds histogram sum 2",
  ],
  "vllm_rust.om.prom": [
    "vllm:cache_config_info info info 1",
    "vllm:generation_tokens counter value 1",
    "vllm:inter_token_latency_seconds histogram bucket 3",
    "vllm:inter_token_latency_seconds histogram count 1",
    "vllm:inter_token_latency_seconds histogram sum 1",
    "vllm:num_requests_running gauge value 1",
  ],
};

for (const { name: file } of Deno.readDirSync(pagesFolder)) {
  Deno.test(`TextParser and sampleRole read ${file}`, () => {
    const bytes = Deno.readFileSync(new URL(file, pagesFolder));
    const summary = readEveryWay(bytes, contentTypeOf(file));
    assert.deepEqual([...summary].map(([key, count]) => `${key} ${count}`).toSorted(), PAGES[file]);
  });
}

Deno.test("there is a page for each that is expected", () => {
  const files = [...Deno.readDirSync(pagesFolder)].map(({ name }) => name).toSorted();
  assert.deepEqual(files, Object.keys(PAGES));
});

/** Pages of real servers, which stand beside the project while it is developed. */
const captures: readonly (readonly [file: string, samples: number])[] = [
  ["dcgm.txt", 23],
  ["dynamo.txt", 20],
  ["pyclient_vllm_dp8.om.txt", 2449],
  ["pyclient_vllm_dp8.txt", 2449],
  ["sglang.txt", 33],
  ["vllm.txt", 185],
];

for (const [file, samples] of captures) {
  const path = new URL(file, capturesFolder);
  Deno.test({
    name: `TextParser and sampleRole read the capture ${file}`,
    ignore: !exists(path),
    fn: () => {
      const summary = readEveryWay(Deno.readFileSync(path), contentTypeOf(file));
      const total = [...summary.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(total, samples);
      const untyped = [...summary.keys()].filter((key) => key.includes(" unknown "));
      assert.deepEqual(untyped, []);
    },
  });
}

function exists(path: URL): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
