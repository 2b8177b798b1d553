import assert from "node:assert/strict";
import {
  ENGINES,
  KNOWN_METRICS,
  OTHER_PATHS,
  QUESTIONS,
} from "../../../src/telemetry/engines/engines.ts";
import { haveRole, showAll } from "../../../src/telemetry/engines/known_roles.ts";
import { ROLE_NAMES, ROLE_WORDS, roleNamed } from "../../../src/telemetry/engines/roles.ts";

/** The quick reference of the tutorial: what to watch, by engine. */
const QUICK_REFERENCE: Readonly<Record<string, string>> = {
  "vLLM": `num_requests_running num_requests_waiting num_requests_waiting_by_reason
    kv_cache_usage_perc num_preemptions e2e_request_latency_seconds time_to_first_token_seconds
    inter_token_latency_seconds prompt_tokens_by_source generation_tokens`,
  "Dynamo frontend": `active_requests inflight_requests queued_requests request_duration_seconds
    time_to_first_token_seconds inter_token_latency_seconds requests output_tokens`,
  "SGLang": `num_running_reqs num_queue_reqs token_usage cache_hit_rate gen_throughput
    time_to_first_token_seconds inter_token_latency_seconds e2e_request_latency_seconds
    queue_time_seconds prompt_tokens generation_tokens`,
  "TensorRT-LLM": `e2e_request_latency_seconds time_to_first_token_seconds
    time_per_output_token_seconds request_queue_time_seconds request_prefill_time_seconds
    request_decode_time_seconds request_success prompt_tokens generation_tokens
    num_requests_running num_requests_waiting kv_cache_utilization kv_cache_hit_rate`,
};

Deno.test("the key metrics are those that the tutorial says to watch, before anything else", () => {
  for (const [name, reference] of Object.entries(QUICK_REFERENCE)) {
    const { prefixes: [prefix] = [], keyMetrics = [] } = ENGINES.find((engine) =>
      engine.name === name
    ) ?? {};
    const listed = reference.split(/\s+/).map((metric) => `${prefix}${metric}`);
    assert.deepEqual(keyMetrics.slice(0, listed.length), listed, name);
  }
});

Deno.test("every metric of the table has a prefix of its engine, and no prefix is of two", () => {
  const prefixes = ENGINES.flatMap((engine) => engine.prefixes);
  assert.equal(new Set(prefixes).size, prefixes.length);
  const common = new Set<string>();
  for (const { name, prefixes, roles, keyMetrics = [] } of ENGINES) {
    const names = Object.values(roles).flatMap((sources) => sources.flatMap(({ names }) => names));
    for (const metric of [...names, ...keyMetrics]) {
      if (prefixes.length === 0) continue;
      const isOwn = prefixes.some((prefix) => metric.startsWith(prefix));
      // The routed tokens of an old frontend keep their name.
      if (!isOwn) common.add(`${name}: ${metric}`);
    }
  }
  assert.deepEqual([...common].filter((text) => !text.includes("dynamo_component_router_")), []);
});

Deno.test("sources have what their way of being put together needs", () => {
  for (const { name, roles } of ENGINES) {
    for (const [role, sources] of Object.entries(roles)) {
      for (const { names, together, label } of sources) {
        assert.ok(names.length > 0, `${name} ${role}`);
        assert.equal(label !== undefined, together === "by", `${name} ${role}`);
      }
    }
  }
});

Deno.test("the paths and questions of all engines are there once", () => {
  assert.deepEqual(OTHER_PATHS.toSorted(), ["/metrics/", "/prometheus/metrics", "/v1/metrics"]);
  const paths = QUESTIONS.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  assert.ok(paths.includes("/version") && paths.includes("/health"));
  assert.ok(KNOWN_METRICS.includes("tgi_queue_size"));
});

Deno.test("roleNamed takes names and aliases of roles in any case", () => {
  assert.equal(roleNamed("running"), "running");
  assert.equal(roleNamed("KV_Cache_Usage"), "kv_usage");
  assert.equal(roleNamed("kv_usage"), "kv_usage");
  assert.equal(roleNamed("prefix_hit_share"), "prefix_hit_share");
  assert.equal(roleNamed("num_requests_running"), undefined);
  assert.equal(new Set(ROLE_WORDS).size, ROLE_WORDS.length);
  assert.ok(ROLE_NAMES.every((name) => ROLE_WORDS.includes(name)));
});

Deno.test("haveRole finds roles by names alone", () => {
  const gauge = (name: string) => ({ name, type: "gauge" });
  const counter = (name: string) => ({ name, type: "counter" });
  assert.equal(haveRole([gauge("ray_vllm_num_requests_running")], "running"), true);
  assert.equal(haveRole([gauge("vllm_router_running_requests")], "waiting"), false);
  assert.equal(haveRole([counter("vllm:prefix_cache_hits")], "prefix_hit_share"), false);
  assert.equal(
    haveRole(
      [counter("vllm:prefix_cache_hits"), counter("vllm:prefix_cache_queries")],
      "prefix_hit_share",
    ),
    true,
  );
  // The level and the count of one name.
  assert.equal(haveRole([counter("sglang:num_retracted_reqs")], "retracted"), false);
  assert.equal(haveRole([counter("sglang:num_retracted_reqs")], "preemptions"), true);
  assert.equal(haveRole([gauge("sglang:num_retracted_reqs")], "preemptions"), false);
});

Deno.test("showAll is true of servers that count from the start", () => {
  const heads = (...names: string[]) => names.map((name) => ({ name, type: "unknown" }));
  assert.equal(showAll(heads("vllm:num_requests_running", "vllm:request_success")), true);
  assert.equal(showAll(heads("llamacpp:tokens_predicted")), true);
  assert.equal(showAll(heads("sglang:num_running_reqs")), false);
  assert.equal(showAll(heads("node_cpu_seconds")), false);
});
