/** Routers and gateways, which see the requests of engines again. */

import type { Engine } from "./engine.ts";
import { histogram, prefixed, sum } from "./role_source.ts";

/** The router of SGLang. Its `smg_engine_*` are gauges of the engines, shown again. */
export const SMG: Engine = {
  name: "SMG",
  layer: "front",
  prefixes: ["smg_"],
  paths: [],
  ownPort: "29000",
  roles: prefixed("smg_", {
    running: [
      sum("requests", "worker_requests_active"),
      sum("connections", "http_connections_active"),
    ],
    waiting: [sum("requests", "admission_queue_depth")],
    requests: [sum("requests", "router_requests")],
    failures: [sum("requests", "router_request_errors")],
    retries: [sum("requests", "worker_retries")],
    "prompt_tokens": [sum("tokens", "router_tokens", { where: { "token_type": ["input"] } })],
    "generation_tokens": [sum("tokens", "router_tokens", { where: { "token_type": ["output"] } })],
    ttft: [histogram("seconds", "router_ttft_seconds")],
    tpot: [histogram("seconds", "router_tpot_seconds")],
    e2e: [histogram("seconds", "router_request_duration_seconds")],
    prefill: [histogram("seconds", "pd_prefill_duration_seconds")],
    "transfer_time": [histogram("seconds", "pd_kv_transfer_duration_seconds")],
    "transfer_failures": [
      sum("events", ["pd_kv_transfer_failures", "pd_bootstrap_failures"], { mayLack: true }),
    ],
  }),
};

/** vLLM's router in Rust. Its prefix begins as an alias of vLLM's does. */
export const VLLM_ROUTER: Engine = {
  name: "vLLM router",
  layer: "front",
  prefixes: ["vllm_router_"],
  paths: [],
  ownPort: "29000",
  roles: prefixed("vllm_router_", {
    running: [sum("requests", "running_requests")],
    requests: [sum("requests", "requests"), sum("requests", "pd_requests")],
    failures: [sum("requests", "request_errors")],
    e2e: [
      histogram("seconds", "request_duration_seconds"),
      histogram("seconds", "pd_request_duration_seconds"),
    ],
    "decode_waiting": [sum("requests", "pd_pending_decode_requests")],
  }),
};

/**
 * The endpoint picker of the Inference Extension, and llm-d's. Its `inference_pool_average_*` are
 * means over pods of what engines report.
 */
export const INFERENCE_EXTENSION: Engine = {
  name: "Inference Extension EPP",
  layer: "front",
  frontOrder: 1,
  prefixes: [
    ...["inference_objective_", "inference_pool_", "inference_extension_", "inference_model_"],
    ...["llm_d_inference_scheduler_", "llm_d_router_"],
  ],
  paths: [],
  ownPort: "9090",
  needs: "bearer token of a service account",
  roles: prefixed("inference_", {
    running: [
      sum("requests", "objective_running_requests"),
      // before 1.0
      sum("requests", "model_running_requests"),
    ],
    waiting: [sum("requests", "extension_flow_control_queue_size")],
    requests: [sum("requests", "objective_request"), sum("requests", "model_request")],
    failures: [sum("requests", "objective_request_error")],
    "prompt_tokens": [histogram("tokens", "objective_input_tokens")],
    "generation_tokens": [histogram("tokens", "objective_output_tokens")],
    "cached_tokens": [histogram("tokens", "objective_prompt_cached_tokens")],
    e2e: [histogram("seconds", "objective_request_duration_seconds")],
    ttft: [histogram("seconds", "objective_request_ttft_seconds")],
    tpot: [histogram("seconds", "objective_normalized_time_per_output_token_seconds")],
  }),
};

/** LiteLLM's proxy. */
export const LITELLM: Engine = {
  name: "LiteLLM",
  layer: "front",
  frontOrder: 0,
  prefixes: ["litellm_"],
  // Its /metrics is a redirect to that.
  paths: ["/metrics/"],
  needs: "callbacks: [prometheus]",
  roles: prefixed("litellm_", {
    running: [sum("requests", "in_flight_requests")],
    requests: [
      sum("requests", "proxy_total_requests_metric"),
      sum("requests", "requests_metric"),
    ],
    failures: [sum("requests", "proxy_failed_requests_metric")],
    "prompt_tokens": [sum("tokens", "input_tokens_metric")],
    "generation_tokens": [sum("tokens", "output_tokens_metric")],
    "cached_tokens": [sum("tokens", "input_cached_tokens_metric")],
    ttft: [histogram("seconds", "llm_api_time_to_first_token_metric")],
    e2e: [histogram("seconds", "request_total_latency_metric")],
    upstream: [histogram("seconds", "llm_api_latency_metric")],
    overhead: [histogram("seconds", "overhead_latency_metric")],
    queue: [histogram("seconds", "request_queue_time_seconds")],
  }),
};

/** Token counts of Envoy's gateway; cached and reasoning tokens are parts of input and output. */
function tokenUsage(type: string) {
  const where = { "gen_ai_token_type": [type] };
  return [
    histogram("tokens", "client_token_usage_token", { where }),
    histogram("tokens", "client_token_usage", { where }),
  ];
}

function envoyTime(name: string) {
  return [histogram("seconds", `${name}_seconds`), histogram("seconds", name)];
}

/** Envoy AI Gateway. */
export const ENVOY_AI_GATEWAY: Engine = {
  name: "Envoy AI Gateway",
  layer: "front",
  frontOrder: 0,
  prefixes: ["gen_ai_"],
  paths: [],
  ownPort: "1064",
  roles: prefixed("gen_ai_", {
    requests: [
      histogram("requests", "server_request_duration_seconds"),
      histogram("requests", "server_request_duration"),
    ],
    "prompt_tokens": tokenUsage("input"),
    "generation_tokens": tokenUsage("output"),
    "cached_tokens": tokenUsage("cached_input"),
    ttft: envoyTime("server_time_to_first_token"),
    tpot: envoyTime("server_time_per_output_token"),
    e2e: envoyTime("server_request_duration"),
  }),
};
