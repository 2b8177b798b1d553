/** Triton: its own metrics, which see requests from the front, and those of its TensorRT-LLM backend. */

import type { Engine } from "./engine.ts";
import { histogram, largest, mean, names, prefixed, sum } from "./role_source.ts";

/** The TensorRT-LLM backend inside of Triton. */
export const TRITON_TENSORRT_LLM: Engine = {
  name: "Triton TensorRT-LLM",
  layer: "engine",
  prefixes: ["nv_trt_llm_"],
  paths: [],
  ownPort: "8002",
  roles: prefixed("nv_trt_llm_", {
    running: [sum("requests", "request_metrics", { where: { "request_type": ["active"] } })],
    waiting: [sum("requests", "request_metrics", { where: { "request_type": ["waiting"] } })],
    "kv_usage": [
      mean("ratio", "kv_cache_block_metrics", { where: { "kv_cache_block_type": ["fraction"] } }),
    ],
    "kv_blocks": [
      sum("blocks", "kv_cache_block_metrics", { where: { "kv_cache_block_type": ["max"] } }),
    ],
    "kv_block_size": [
      largest("tokens", "kv_cache_block_metrics", {
        where: { "kv_cache_block_type": ["tokens_per"] },
      }),
    ],
    "transfer_ms": [
      sum("milliseconds", "disaggregated_serving_metrics", {
        where: { "disaggregated_serving_type": ["kv_cache_transfer_ms"] },
      }),
    ],
  }),
};

/** Triton itself. Each step of an ensemble is a model, and counts the requests of the ensemble. */
export const TRITON: Engine = {
  name: "Triton",
  layer: "front",
  prefixes: [
    ...["nv_inference_", "nv_gpu_", "nv_cpu_", "nv_cache_", "nv_energy_", "nv_pinned_"],
    "nv_model_",
  ],
  paths: [],
  ownPort: "8002",
  roles: prefixed("nv_", {
    // The requests of an ensemble wait at one of its steps.
    waiting: [sum("requests", "inference_pending_request_count")],
    requests: [largest("requests", "inference_request_success", { perModel: true })],
    failures: [largest("requests", "inference_request_failure", { perModel: true })],
    ttft: [histogram("milliseconds", "inference_first_response_histogram_ms", { perModel: true })],
    "queue_us": [sum("microseconds", "inference_queue_duration_us")],
    gpu: [mean("ratio", "gpu_utilization")],
    power: [sum("watt", "gpu_power_usage")],
  }),
  keyMetrics: names(
    "nv_",
    ...["inference_request_success", "inference_request_failure", "inference_count"],
    ...["inference_exec_count", "inference_pending_request_count"],
    ...["inference_request_duration_us", "inference_queue_duration_us"],
    ...["inference_first_response_histogram_ms", "gpu_utilization", "gpu_memory_used_bytes"],
    ...["cache_num_hits_per_model", "cache_num_misses_per_model"],
  ),
  brief: ["requests", "waiting", "ttft", "gpu", "failures"],
  questions: [{ path: "/v2", prefix: "v2." }],
};
