/** vLLM, and engines that began as copies of its metrics. */

import type { Engine } from "./engine.ts";
import {
  by,
  histogram,
  largest,
  mean,
  names,
  prefixed,
  type RoleSources,
  sum,
} from "./role_source.ts";

const COPIED: RoleSources = {
  running: [sum("requests", "num_requests_running")],
  // num_requests_waiting_by_reason has the same requests by reason.
  waiting: [sum("requests", "num_requests_waiting")],
  "prompt_tokens": [
    sum("tokens", "prompt_tokens"),
    histogram("tokens", "request_prompt_tokens"),
  ],
  "generation_tokens": [
    sum("tokens", "generation_tokens"),
    histogram("tokens", "request_generation_tokens"),
  ],
  // Aborted and failed requests are in there as well.
  requests: [
    sum("requests", "request_success"),
    histogram("requests", "e2e_request_latency_seconds"),
  ],
  ttft: [histogram("seconds", "time_to_first_token_seconds")],
  e2e: [histogram("seconds", "e2e_request_latency_seconds")],
  queue: [
    histogram("seconds", "request_queue_time_seconds"),
    // V0 0.6.4 to 0.8
    histogram("seconds", "time_in_queue_requests"),
  ],
  prefill: [histogram("seconds", "request_prefill_time_seconds")],
  decode: [histogram("seconds", "request_decode_time_seconds")],
  inference: [histogram("seconds", "request_inference_time_seconds")],
  // A histogram whose name ends as a counter's does.
  "iteration_tokens": [histogram("tokens", "iteration_tokens_total")],
  "spec_drafts": [sum("drafts", "spec_decode_num_drafts")],
  "spec_draft_tokens": [sum("tokens", "spec_decode_num_draft_tokens")],
  "spec_accepted": [sum("tokens", "spec_decode_num_accepted_tokens")],
  "spec_accepted_per_pos": [by("position", "tokens", "spec_decode_num_accepted_tokens_per_pos")],
};

const VLLM_ROLES: RoleSources = {
  ...COPIED,
  // V0
  swapped: [sum("requests", "num_requests_swapped")],
  preemptions: [sum("events", "num_preemptions")],
  "kv_usage": [
    mean("ratio", "kv_cache_usage_perc"),
    // to 0.10
    mean("ratio", "gpu_cache_usage_perc"),
  ],
  // One block of each engine is never usable.
  "kv_blocks": [sum("blocks", "cache_config_info", { valueLabel: "num_gpu_blocks" })],
  "kv_block_size": [largest("tokens", "cache_config_info", { valueLabel: "block_size" })],
  "prefix_queries": [
    sum("tokens", "prefix_cache_queries"),
    // V1 to 0.9
    sum("tokens", "gpu_prefix_cache_queries"),
  ],
  "prefix_hits": [sum("tokens", "prefix_cache_hits"), sum("tokens", "gpu_prefix_cache_hits")],
  // V0
  "prefix_hit_rate": [mean("ratio", "gpu_prefix_cache_hit_rate")],
  // In a prefill/decode pair these are transfers, not reuse.
  "external_queries": [sum("tokens", "external_prefix_cache_queries")],
  "external_hits": [sum("tokens", "external_prefix_cache_hits")],
  "cached_by_tier": [by("source", "tokens", "prompt_tokens_cached_by_source")],
  "prompt_by_source": [by("source", "tokens", "prompt_tokens_by_source")],
  "computed_prompt_tokens": [
    sum("tokens", "prompt_tokens_by_source", { where: { source: ["local_compute"] } }),
    histogram("tokens", "request_prefill_kv_computed_tokens"),
  ],
  failures: [
    sum("requests", "request_success", { where: { "finished_reason": ["abort", "error"] } }),
    sum("requests", "admission_rejections"),
  ],
  rejections: [sum("requests", "admission_rejections")],
  // With speculative decoding a step yields several tokens.
  itl: [
    histogram("seconds", "inter_token_latency_seconds", { perStep: true }),
    // to 0.11
    histogram("seconds", "time_per_output_token_seconds", { perStep: true }),
  ],
  tpot: [histogram("seconds", "request_time_per_output_token_seconds")],
  // V0
  "spec_emitted": [sum("tokens", "spec_decode_num_emitted_tokens")],
  "spec_rate_gauge": [mean("ratio", "spec_decode_draft_acceptance_rate")],
  "transfer_time": [histogram("seconds", "nixl_xfer_time_seconds")],
  "transfer_bytes": [histogram("bytes", "nixl_bytes_transferred")],
  "transfer_failures": [sum("events", "nixl_num_failed_transfers")],
  "offload_bytes": [
    sum("bytes", "kv_offload_load_bytes"),
    // 0.12 to 0.22
    by("transfer_type", "bytes", "kv_offload_total_bytes"),
  ],
  "lora_info": [largest(null, "lora_requests_info")],
  "sleep_state": [by("sleep_state", null, "engine_sleep_state")],
  info: [largest(null, "cache_config_info")],
};

const KEY_METRICS = [
  ...["num_requests_running", "num_requests_waiting", "num_requests_waiting_by_reason"],
  ...["kv_cache_usage_perc", "num_preemptions", "e2e_request_latency_seconds"],
  ...["time_to_first_token_seconds", "inter_token_latency_seconds", "prompt_tokens_by_source"],
  ...["generation_tokens", "request_queue_time_seconds", "request_prefill_time_seconds"],
  ...["request_decode_time_seconds", "request_inference_time_seconds"],
  ...["prompt_tokens_cached_by_source", "admission_rejections", "estimated_flops_per_gpu"],
  ...["estimated_read_bytes_per_gpu", "estimated_write_bytes_per_gpu"],
] as const;

/** The client measures TTFT itself; the rows are about what only the server knows. */
const BRIEF = [
  ...["running", "waiting", "swapped", "kv_usage", "prefix_hit_share"] as const,
  ...["external_hit_share", "queue", "prefill", "preemptions", "failures", "rejections"] as const,
];

/** vLLM: V0 and V1, on its own or under Ray. */
export const VLLM: Engine = {
  name: "vLLM",
  unusableBlocks: 1,
  layer: "engine",
  prefixes: ["vllm:", "vllm_", "ray_vllm_", "ray_vllm:"],
  hasAliases: true,
  paths: ["/metrics"],
  roles: prefixed("vllm:", VLLM_ROLES),
  // The router of production-stack shows gauges of the engines behind it.
  routerLabels: ["server"],
  keyMetrics: names("vllm:", ...KEY_METRICS),
  brief: BRIEF,
  questions: [{ path: "/version", prefix: "" }],
};

/** Aphrodite, whose metrics are vLLM's under another prefix. */
export const APHRODITE: Engine = {
  name: "Aphrodite",
  unusableBlocks: 1,
  layer: "engine",
  prefixes: ["aphrodite:"],
  paths: ["/metrics"],
  roles: prefixed("aphrodite:", VLLM_ROLES),
  keyMetrics: names("aphrodite:", ...KEY_METRICS),
  brief: BRIEF,
};

/** LMDeploy, whose metrics are those of vLLM in 2024 with some of its own. */
export const LMDEPLOY: Engine = {
  name: "LMDeploy",
  layer: "engine",
  prefixes: ["lmdeploy:", "lmdeploy_"],
  hasAliases: true,
  paths: ["/metrics"],
  roles: prefixed("lmdeploy:", {
    ...COPIED,
    "kv_usage": [mean("ratio", "gpu_cache_usage_perc")],
    "prefix_hits": [sum("tokens", "cached_tokens")],
    "prefix_queries": [sum("tokens", "prompt_tokens", { ifPresent: "cached_tokens" })],
    "prefix_hit_rate": [mean("ratio", "prefix_cache_hit_rate")],
    itl: [histogram("seconds", "iter_token_latency", { perStep: true })],
    tpot: [histogram("seconds", "time_per_output_token_seconds", { perStep: true })],
    // A gauge that only grows.
    failures: [sum("requests", "num_requests_failed")],
    "front_waiting": [sum("requests", "num_api_requests_waiting")],
  }),
};
