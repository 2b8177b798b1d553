/** TensorRT-LLM: trtllm-serve, and its older versions and NIM, whose names have no prefix. */

import type { Engine } from "./engine.ts";
import { by, histogram, largest, mean, names, prefixed, sum } from "./role_source.ts";

/** TensorRT-LLM by `trtllm-serve`. */
export const TENSORRT_LLM: Engine = {
  name: "TensorRT-LLM",
  layer: "engine",
  prefixes: ["trtllm_", "trtllm:"],
  hasAliases: true,
  // Its /metrics is a list in JSON.
  paths: ["/prometheus/metrics"],
  needs: "return_perf_metrics: true",
  roles: prefixed("trtllm_", {
    running: [sum("requests", "num_requests_running")],
    waiting: [sum("requests", "num_requests_waiting")],
    swapped: [sum("requests", "num_paused_requests")],
    "kv_usage": [mean("ratio", "kv_cache_utilization")],
    "kv_blocks": [sum("blocks", "kv_cache_max_blocks")],
    "kv_block_size": [largest("tokens", "kv_cache_tokens_per_block")],
    "prefix_hits": [
      // 2026
      sum("tokens", "prompt_cached_tokens"),
      sum("blocks", "kv_cache_reused_blocks"),
    ],
    "prefix_queries": [
      sum("tokens", "prompt_tokens", { ifPresent: "prompt_cached_tokens" }),
      sum("blocks", ["kv_cache_reused_blocks", "kv_cache_missed_blocks"]),
    ],
    // Since the server's start, in blocks.
    "prefix_hit_rate": [mean("ratio", "kv_cache_hit_rate")],
    "cached_by_tier": [by("cache_tier", "tokens", "prompt_cache_hit_tokens")],
    "prompt_tokens": [sum("tokens", "prompt_tokens")],
    "generation_tokens": [sum("tokens", "generation_tokens")],
    requests: [
      sum("requests", "request_success"),
      sum("requests", "num_requests_completed"),
      histogram("requests", "e2e_request_latency_seconds"),
    ],
    failures: [sum("requests", "request_error")],
    ttft: [histogram("seconds", "time_to_first_token_seconds")],
    // The mean of each request, unlike vLLM's old metric of this name.
    tpot: [histogram("seconds", "time_per_output_token_seconds")],
    e2e: [histogram("seconds", "e2e_request_latency_seconds")],
    queue: [histogram("seconds", "request_queue_time_seconds")],
    prefill: [histogram("seconds", "request_prefill_time_seconds")],
    decode: [histogram("seconds", "request_decode_time_seconds")],
    inference: [histogram("seconds", "request_inference_time_seconds")],
    "spec_draft_tokens": [
      sum("tokens", "spec_decode_num_draft_tokens"),
      sum("tokens", "spec_decode_drafted_tokens"),
    ],
    "spec_accepted": [
      sum("tokens", "spec_decode_num_accepted_tokens"),
      sum("tokens", "spec_decode_accepted_tokens"),
    ],
    "spec_accepted_per_pos": [by("token_position", "tokens", "spec_decode_accepted_tokens")],
    "spec_drafted_per_pos": [by("token_position", "tokens", "spec_decode_drafted_tokens")],
    "spec_length_gauge": [mean("tokens", "spec_decode_acceptance_length")],
    // Both added by Dynamo.
    "transfer_time": [histogram("seconds", "kv_transfer_latency_seconds")],
    "transfer_bytes": [histogram("bytes", "kv_transfer_bytes")],
    info: [largest(null, "model_config_info")],
  }),
  keyMetrics: names(
    "trtllm_",
    ...["e2e_request_latency_seconds", "time_to_first_token_seconds"],
    ...["time_per_output_token_seconds", "request_queue_time_seconds"],
    ...["request_prefill_time_seconds", "request_decode_time_seconds", "request_success"],
    ...["prompt_tokens", "generation_tokens", "num_requests_running", "num_requests_waiting"],
    ...["kv_cache_utilization", "kv_cache_hit_rate"],
  ),
};

/** Servers whose names have no prefix: NIM, and trtllm-serve 1.0 and 1.1. */
export const BARE_NAMES: Engine = {
  name: "bare names (NIM, trtllm-serve)",
  layer: "engine",
  prefixes: [],
  bareNames: [
    ...["num_requests_running", "num_requests_waiting"],
    ...["time_to_first_token_seconds", "gpu_cache_usage_perc"],
  ],
  paths: ["/v1/metrics", "/prometheus/metrics", "/metrics"],
  roles: {
    running: [sum("requests", "num_requests_running")],
    waiting: [sum("requests", "num_requests_waiting")],
    "kv_usage": [
      mean("ratio", "gpu_cache_usage_perc"),
      mean("ratio", "kv_cache_utilization"),
      mean("ratio", "kv_cache_usage_perc"),
    ],
    "prompt_tokens": [sum("tokens", "prompt_tokens")],
    "generation_tokens": [sum("tokens", "generation_tokens")],
    requests: [
      sum("requests", "request_success"),
      sum("requests", "request_finish"),
      histogram("requests", "e2e_request_latency_seconds"),
    ],
    failures: [sum("requests", "request_failure")],
    ttft: [histogram("seconds", "time_to_first_token_seconds")],
    tpot: [histogram("seconds", "time_per_output_token_seconds")],
    itl: [histogram("seconds", "inter_token_latency_seconds")],
    e2e: [histogram("seconds", "e2e_request_latency_seconds")],
    queue: [histogram("seconds", "request_queue_time_seconds")],
    "prefix_hits": [sum("blocks", "kv_cache_reused_blocks")],
    "prefix_queries": [sum("blocks", ["kv_cache_reused_blocks", "kv_cache_missed_blocks"])],
    "prefix_hit_rate": [mean("ratio", "kv_cache_hit_rate")],
    "max_running": [sum("requests", "num_request_max")],
  },
};
