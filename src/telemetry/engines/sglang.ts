/** SGLang. */

import type { Engine } from "./engine.ts";
import { by, histogram, largest, mean, names, prefixed, sum } from "./role_source.ts";

/** Instances of a pool have only the queues and failures of their own work. */
const EITHER_POOL = { mayLack: true } as const;

/** SGLang, unified or with separate prefill and decode instances. */
export const SGLANG: Engine = {
  name: "SGLang",
  cacheBlockTokens: 1,
  layer: "engine",
  prefixes: ["sglang:", "sglang_"],
  hasAliases: true,
  paths: ["/metrics"],
  needs: "--enable-metrics",
  roles: prefixed("sglang:", {
    running: [sum("requests", "num_running_reqs")],
    waiting: [sum("requests", "num_queue_reqs")],
    "waiting_pd": [sum("requests", [
      ...["num_prefill_bootstrap_queue_reqs", "num_prefill_inflight_queue_reqs"],
      ...["num_decode_prealloc_queue_reqs", "num_decode_transfer_queue_reqs"],
    ], EITHER_POOL)],
    retracted: [sum("requests", "num_retracted_reqs")],
    preemptions: [
      sum("events", "num_retracted_requests"),
      // before 0.5.6 or so
      sum("events", "num_retracted_reqs_total"),
    ],
    "kv_usage": [
      // The largest of the pools of a hybrid model.
      mean("ratio", "token_usage"),
      mean("ratio", "full_token_usage"),
    ],
    "kv_capacity_tokens": [sum("tokens", "max_total_num_tokens")],
    "kv_block_size": [largest("tokens", "page_size")],
    // Of the last prefill batches only.
    "prefix_hit_rate": [mean("ratio", "cache_hit_rate")],
    "prefix_queries": [sum("tokens", "prompt_tokens")],
    "prefix_hits": [sum("tokens", "cached_tokens")],
    "cached_by_tier": [by("cache_source", "tokens", "cached_tokens")],
    "computed_prompt_tokens": [
      sum("tokens", "realtime_tokens", { where: { mode: ["prefill_compute"] } }),
      histogram("tokens", "uncached_prompt_tokens_histogram"),
    ],
    "prompt_tokens": [
      sum("tokens", "prompt_tokens"),
      histogram("tokens", "prompt_tokens_histogram"),
    ],
    "generation_tokens": [
      sum("tokens", "generation_tokens"),
      histogram("tokens", "generation_tokens_histogram"),
    ],
    requests: [
      sum("requests", "num_requests"),
      histogram("requests", "e2e_request_latency_seconds"),
    ],
    failures: [sum("requests", "num_aborted_requests")],
    ttft: [histogram("seconds", "time_to_first_token_seconds")],
    // One observation for each token: the gap divided by the new tokens.
    itl: [
      histogram("seconds", "inter_token_latency_seconds"),
      // before 0.5
      histogram("seconds", "time_per_output_token_seconds"),
    ],
    tpot: [histogram("seconds", "request_time_per_output_token_seconds")],
    e2e: [histogram("seconds", "e2e_request_latency_seconds")],
    queue: [histogram("seconds", "queue_time_seconds")],
    stages: [by("stage", "seconds", "per_stage_req_latency_seconds")],
    "spec_drafts": [sum("drafts", "spec_verify_calls")],
    "spec_length_gauge": [mean("tokens", "spec_accept_length")],
    "spec_rate_gauge": [mean("ratio", "spec_accept_rate")],
    "transfer_time": [histogram("milliseconds", "kv_transfer_latency_ms")],
    "transfer_bytes": [histogram("megabytes", "kv_transfer_total_mb")],
    "transfer_failures": [
      sum("requests", ["num_transfer_failed_reqs", "num_bootstrap_failed_reqs"], EITHER_POOL),
    ],
    "evicted_tokens": [sum("tokens", "evicted_tokens")],
    "host_usage": [sum("tokens", "hicache_host_used_tokens")],
    "host_capacity": [sum("tokens", "hicache_host_total_tokens")],
  }),
  copyLabels: ["tp_rank", "pp_rank", "moe_ep_rank"],
  partLabels: ["priority"],
  poolLabel: "engine_type",
  keyMetrics: names(
    "sglang:",
    ...["num_running_reqs", "num_queue_reqs", "token_usage", "cache_hit_rate", "gen_throughput"],
    ...["time_to_first_token_seconds", "inter_token_latency_seconds"],
    ...["e2e_request_latency_seconds", "queue_time_seconds", "prompt_tokens", "generation_tokens"],
  ),
  questions: [
    // vLLM has it too, in its development mode.
    { path: "/get_server_info", prefix: "server_info." },
    { path: "/server_info?config_format=json", prefix: "server_info." },
    { path: "/get_model_info", prefix: "model_info." },
    { path: "/model_info", prefix: "model_info." },
  ],
};
