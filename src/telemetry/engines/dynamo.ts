/** Dynamo: its frontend, and the workers that wrap engines and have the engines' metrics, too. */

import type { Engine } from "./engine.ts";
import { histogram, largest, mean, prefixed, type RoleSources, sum } from "./role_source.ts";

/** Requests of clients; the worker's other endpoints are internal. */
const SERVED = { where: { "dynamo_endpoint": ["generate"] } };

/** A worker of Dynamo. */
export const DYNAMO_WORKER: Engine = {
  name: "Dynamo worker",
  layer: "worker",
  prefixes: [
    ...["dynamo_component_", "dynamo_work_handler_", "dynamo_engine_", "dynamo_request_queue"],
  ],
  paths: [],
  ownPort: "DYN_SYSTEM_PORT",
  needs: "DYN_SYSTEM_PORT",
  roles: prefixed("dynamo_", {
    running: [
      sum("requests", "engine_request"),
      sum("requests", "component_inflight_requests", SERVED),
    ],
    waiting: [sum("requests", "request_queue"), sum("requests", "work_handler_queue_depth")],
    requests: [sum("requests", "component_requests", SERVED)],
    failures: [sum("requests", "component_errors")],
    "kv_usage": [
      // 0 to 1 in spite of the name.
      mean("ratio", "component_gpu_cache_usage_percent"),
      // 0.4 to 0.8
      mean("ratio", "component_kvstats_gpu_cache_usage_percent"),
    ],
    "kv_blocks": [
      sum("blocks", "component_total_blocks"),
      sum("blocks", "component_kvstats_total_blocks"),
    ],
    "prefix_hit_rate": [
      mean("ratio", "component_kv_cache_hit_rate"),
      mean("ratio", "component_kvstats_gpu_prefix_cache_hit_rate"),
    ],
    e2e: [histogram("seconds", "component_request_duration_seconds", SERVED)],
  }),
  poolLabel: "dynamo_component",
  keyMetrics: [
    ...["dynamo_component_inflight_requests", "dynamo_component_gpu_cache_usage_percent"],
    ...["dynamo_request_queue", "dynamo_work_handler_queue_depth"],
    ...["dynamo_component_request_duration_seconds", "dynamo_component_requests"],
  ],
};

/** Roles of the part of a frontend's page that its prefix is free to choose. */
const FRONTEND_ROLES: RoleSources = {
  running: [
    // 1.x
    sum("requests", "active_requests"),
    sum("requests", "inflight_requests"),
    sum("requests", "inflight_requests_total"),
  ],
  // Until the first token: prefill is in there.
  waiting: [sum("requests", "queued_requests"), sum("requests", "queued_requests_total")],
  "router_waiting": [sum("requests", "router_queue_pending_requests")],
  requests: [sum("requests", "requests")],
  failures: [
    sum("requests", "failures"),
    sum("requests", "requests", { where: { status: ["error"] } }),
  ],
  retries: [sum("requests", "model_migration")],
  "prompt_tokens": [histogram("tokens", "input_sequence_tokens")],
  "generation_tokens": [
    sum("tokens", "output_tokens"),
    histogram("tokens", "output_sequence_tokens"),
  ],
  // What the engine reported as usage: 0 in disaggregated mode.
  "cached_tokens": [histogram("tokens", "cached_tokens")],
  ttft: [histogram("seconds", "time_to_first_token_seconds")],
  itl: [histogram("seconds", "inter_token_latency_seconds")],
  e2e: [histogram("seconds", "request_duration_seconds")],
  // Of one worker.
  "kv_blocks": [largest("blocks", "model_total_kv_blocks")],
  "kv_block_size": [largest("tokens", "model_kv_cache_block_size")],
};

/** A request of a prefill/decode pair is routed twice; nothing is prefilled in the phase of decode. */
const PREFILLING = { where: { phase: ["prefill", "aggregated", ""] } };

const ROUTER_ROLES: RoleSources = prefixed("dynamo_component_router_", {
  "routed_prompt_tokens": [sum("tokens", "input_sequence_tokens", PREFILLING)],
  "routed_selected_cached": [sum("tokens", "kv_selected_cached_prefix_tokens", PREFILLING)],
  "routed_best_cached": [sum("tokens", "kv_best_eligible_cached_prefix_tokens", PREFILLING)],
  "worker_reused": [sum("tokens", "kv_worker_reused_tokens")],
});

/** The frontend of Dynamo. */
export const DYNAMO_FRONTEND: Engine = {
  name: "Dynamo frontend",
  layer: "front",
  prefixes: [
    ...["dynamo_frontend_", "dynamo_component_router_", "dynamo_router_"],
    ...["dynamo_request_plane_", "dynamo_rejection_", "dynamo_tokio_"],
  ],
  paths: ["/metrics"],
  roles: {
    ...prefixed("dynamo_frontend_", FRONTEND_ROLES),
    ...ROUTER_ROLES,
    queue: [histogram("seconds", "dynamo_request_plane_queue_seconds")],
    rejections: [sum("requests", "dynamo_rejection_request")],
  },
  keyMetrics: [
    ...["dynamo_frontend_active_requests", "dynamo_frontend_inflight_requests"],
    ...["dynamo_frontend_queued_requests", "dynamo_frontend_request_duration_seconds"],
    ...["dynamo_frontend_time_to_first_token_seconds"],
    ...["dynamo_frontend_inter_token_latency_seconds", "dynamo_frontend_requests"],
    ...["dynamo_frontend_output_tokens", "dynamo_frontend_stage_duration_seconds"],
    ...["dynamo_frontend_cached_tokens", "dynamo_component_router_kv_hit_rate"],
    ...["dynamo_component_router_shared_cache_hit_rate", "dynamo_request_plane_queue_seconds"],
    ...["dynamo_tokio_global_queue_depth", "dynamo_frontend_failures", "dynamo_rejection_request"],
  ],
  questions: [
    // Which workers there are; other servers' bodies are empty.
    { path: "/health", prefix: "health.", pick: workers },
  ],
};

/** The frontend up to 0.3. */
export const OLD_DYNAMO_FRONTEND: Engine = {
  name: "Dynamo frontend (old)",
  layer: "front",
  prefixes: ["nv_llm_http_service_"],
  paths: ["/metrics"],
  roles: { ...prefixed("nv_llm_http_service_", FRONTEND_ROLES), ...ROUTER_ROLES },
};

function workers({ instances, endpoints }: Readonly<Record<string, unknown>>): unknown {
  return {
    ...(Array.isArray(instances) ? { "instances": instances.length } : {}),
    ...(Array.isArray(endpoints) ? { "endpoints": endpoints.toSorted() } : {}),
  };
}
