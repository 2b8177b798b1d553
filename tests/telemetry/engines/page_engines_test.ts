import assert from "node:assert/strict";
import {
  knownName,
  pageEngines,
  type SeriesHead,
} from "../../../src/telemetry/engines/page_engines.ts";
import { type RoleChoice, roleSeries } from "../../../src/telemetry/engines/role_series.ts";
import type { RoleName } from "../../../src/telemetry/engines/roles.ts";

/** `name{label=value,...}` of a type as a series. */
function series(text: string, type = "gauge"): SeriesHead {
  const [name = "", labels = ""] = text.split(/[{}]/);
  return {
    name,
    type,
    labels: labels.split(",").filter((pair) => pair !== "").map((pair) => {
      const [label = "", value = ""] = pair.split("=");
      return [label, value] as const;
    }),
  };
}

function enginesOf(...names: string[]): string[] {
  return [...pageEngines(names.map((name) => series(name))).keys()].map(({ name }) => name);
}

/** The labels of the series of a role on a page, engine by engine. */
function roleOf(page: readonly SeriesHead[], role: RoleName, choice?: RoleChoice): string[] {
  return [...pageEngines(page)].flatMap(([engine, metrics]) =>
    roleSeries(engine, metrics, role, choice)?.series ?? []
  ).map(({ name, labels }) => `${name} ${labels.map((pair) => pair.join("=")).join(",")}`.trim());
}

Deno.test("pageEngines knows engines by the longest prefix of their metrics' names", () => {
  assert.deepEqual(enginesOf("vllm:num_requests_running"), ["vLLM"]);
  assert.deepEqual(enginesOf("ray_vllm_num_requests_running"), ["vLLM"]);
  assert.deepEqual(enginesOf("vllm_router_requests"), ["vLLM router"]);
  assert.deepEqual(enginesOf("nv_gpu_utilization", "sglang:token_usage"), ["SGLang", "Triton"]);
  assert.deepEqual(enginesOf("nv_trt_llm_request_metrics"), ["Triton TensorRT-LLM"]);
  assert.deepEqual(enginesOf("dynamo_frontend_requests", "dynamo_component_requests"), [
    "Dynamo frontend",
    "Dynamo worker",
  ]);
  assert.deepEqual(enginesOf("process_cpu_seconds", "my_vllm:x"), []);
});

Deno.test("pageEngines takes names without a prefix where two telling ones stand alone", () => {
  const bare = "bare names (NIM, trtllm-serve)";
  assert.deepEqual(enginesOf("num_requests_running", "gpu_cache_usage_perc"), [bare]);
  assert.deepEqual(enginesOf("num_requests_running"), []);
  assert.deepEqual(enginesOf("num_requests_running", "num_requests_waiting", "te_queue_size"), [
    "TEI",
  ]);
  // An exporter of GPUs is no server.
  assert.deepEqual(
    enginesOf("num_requests_running", "num_requests_waiting", "DCGM_FI_DEV_GPU_UTIL"),
    [bare, "DCGM"],
  );
});

Deno.test("knownName spells a name as the table does", () => {
  const spelled = (name: string) => knownName(name)?.name;
  assert.equal(spelled("ray_vllm_num_requests_running"), "vllm:num_requests_running");
  assert.equal(spelled("trtllm:request_success"), "trtllm_request_success");
  assert.equal(spelled("nv_gpu_utilization"), "nv_gpu_utilization");
  assert.equal(spelled("up"), undefined);
});

Deno.test("roleSeries leaves out what a router shows of other servers", () => {
  const page = [
    series("vllm:num_requests_running{server=http://a:1}"),
    series("vllm:num_requests_running{engine=0}"),
  ];
  assert.deepEqual(roleOf(page, "running"), ["vllm:num_requests_running engine=0"]);
  assert.deepEqual(enginesOf("vllm:num_requests_running{server=http://a:1}"), []);
});

Deno.test("roleSeries leaves out copies of ranks and parts of a total", () => {
  const ranks = [0, 1].flatMap((dp) =>
    [0, 1].map((tp) => series(`sglang:num_running_reqs{dp_rank=${dp},tp_rank=${tp}}`))
  );
  assert.deepEqual(roleOf(ranks, "running"), [
    "sglang:num_running_reqs dp_rank=0,tp_rank=0",
    "sglang:num_running_reqs dp_rank=1,tp_rank=0",
  ]);
  const parts = ["", "1", "2"].map((priority) =>
    series(`sglang:num_queue_reqs{priority=${priority}}`)
  );
  assert.deepEqual(roleOf(parts, "waiting"), ["sglang:num_queue_reqs priority="]);
  assert.equal(roleOf(parts.slice(1), "waiting").length, 2, "without a total the parts are all");
});

Deno.test("roleSeries counts the board of a divided GPU once", () => {
  const page = ["1", "2"].map((part) =>
    series(`DCGM_FI_DEV_POWER_USAGE{GPU_I_ID=${part},UUID=GPU-a}`)
  );
  assert.equal(roleOf(page, "power").length, 1);
  assert.equal(roleOf([...page, series("DCGM_FI_DEV_POWER_USAGE{UUID=GPU-b}")], "power").length, 2);
});

Deno.test("roleSeries takes the first source of a role that a page has", () => {
  const both = [series("vllm:gpu_cache_usage_perc"), series("vllm:kv_cache_usage_perc")];
  assert.deepEqual(roleOf(both, "kv_usage"), ["vllm:kv_cache_usage_perc"]);
  assert.deepEqual(roleOf(both.slice(0, 1), "kv_usage"), ["vllm:gpu_cache_usage_perc"]);
  const counter = (name: string) => series(name, "counter");
  const blocks = [counter("trtllm_kv_cache_reused_blocks"), counter("trtllm_prompt_tokens")];
  assert.deepEqual(roleOf(blocks, "prefix_queries"), [], "all metrics of a sum must be there");
  assert.deepEqual(
    roleOf([...blocks, counter("trtllm_prompt_cached_tokens")], "prefix_queries"),
    ["trtllm_prompt_tokens"],
  );
});

Deno.test("roleSeries tells counters from gauges of the same name", () => {
  // Ray exports counters as gauges as well.
  const page = [
    series("ray_vllm_prompt_tokens"),
    series("ray_vllm_prompt_tokens_total", "counter"),
  ];
  assert.deepEqual(roleOf(page, "prompt_tokens"), ["ray_vllm_prompt_tokens_total"]);
  const retracted = [
    series("sglang:num_retracted_reqs"),
    series("sglang:num_retracted_reqs_total", "counter"),
  ];
  assert.deepEqual(roleOf(retracted, "retracted"), ["sglang:num_retracted_reqs"]);
  assert.deepEqual(roleOf(retracted, "preemptions"), ["sglang:num_retracted_reqs_total"]);
});

Deno.test("roleSeries chooses by labels, and by the models asked for", () => {
  const page = ["prefill", "decode"].map((type) =>
    series(`sglang:num_running_reqs{engine_type=${type}}`)
  );
  assert.deepEqual(roleOf(page, "running", { selector: [["engine_type", "decode"]] }), [
    "sglang:num_running_reqs engine_type=decode",
  ]);
  assert.deepEqual(roleOf(page, "running", { selector: [["engine_type", "x"]] }), []);
  const steps = ["ensemble", "pre"].map((model) =>
    series(`nv_inference_request_success{model=${model}}`, "counter")
  );
  assert.equal(roleOf(steps, "requests").length, 2);
  assert.deepEqual(roleOf(steps, "requests", { models: ["ensemble"] }), [
    "nv_inference_request_success model=ensemble",
  ]);
  assert.equal(roleOf(steps, "requests", { models: ["other"] }).length, 2);
});
