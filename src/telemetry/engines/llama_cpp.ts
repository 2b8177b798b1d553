/** llama.cpp and Ollama, which runs it. */

import type { Engine } from "./engine.ts";
import { by, mean, names, prefixed, sum } from "./role_source.ts";

/** The server of llama.cpp. */
export const LLAMA_CPP: Engine = {
  name: "llama.cpp",
  cacheBlockTokens: 1,
  layer: "engine",
  prefixes: ["llamacpp:", "llamacpp_"],
  hasAliases: true,
  paths: ["/metrics"],
  needs: "--metrics",
  roles: prefixed("llamacpp:", {
    running: [sum("requests", "requests_processing")],
    waiting: [sum("requests", "requests_deferred")],
    "busy_slots": [sum("requests", "n_busy_slots_per_decode")],
    // Both to mid 2025.
    "kv_usage": [mean("ratio", "kv_cache_usage_ratio")],
    "kv_used_tokens": [sum("tokens", "kv_cache_tokens")],
    "prefix_hits": [sum("tokens", "prompt_tokens_cached")],
    "prefix_queries": [sum("tokens", ["prompt_tokens", "prompt_tokens_cached"])],
    "computed_prompt_tokens": [sum("tokens", "prompt_tokens")],
    // What is read from the cache is not counted as processed.
    "prompt_tokens": [
      sum("tokens", ["prompt_tokens", "prompt_tokens_cached"]),
      sum("tokens", "prompt_tokens", { isPartial: true }),
    ],
    "generation_tokens": [sum("tokens", "tokens_predicted")],
    "prompt_seconds": [sum("seconds", "prompt_seconds")],
    "decode_seconds": [sum("seconds", "tokens_predicted_seconds")],
    // 2026
    "spec_drafts": [sum("drafts", "spec_decode_num_drafts")],
    "spec_draft_tokens": [sum("tokens", "spec_decode_num_draft_tokens")],
    "spec_accepted": [sum("tokens", "spec_decode_num_accepted_tokens")],
    "spec_accepted_per_pos": [by("position", "tokens", "spec_decode_num_accepted_tokens_per_pos")],
  }),
  keyMetrics: names(
    "llamacpp:",
    ...["requests_processing", "requests_deferred", "n_busy_slots_per_decode", "tokens_predicted"],
    ...["prompt_tokens", "prompt_tokens_cached", "predicted_tokens_seconds"],
    "prompt_tokens_seconds",
  ),
  brief: [
    ...["running", "waiting", "busy_slots", "kv_usage", "prompt_tokens"] as const,
    ...["generation_tokens", "prefix_hit_share"] as const,
  ],
  questions: [{ path: "/props", prefix: "props." }],
};

/** Ollama, which exposes no metrics. */
export const OLLAMA: Engine = {
  name: "Ollama",
  layer: "engine",
  prefixes: [],
  paths: [],
  roles: {},
  questions: [{ path: "/api/version", prefix: "" }],
};
