/** Caches outside of engines. What is found in them is among the external hits of the engine. */

import type { Engine } from "./engine.ts";
import { histogram, prefixed, sum } from "./role_source.ts";

/** LMCache, on the page of vLLM or on its own. */
export const LMCACHE: Engine = {
  name: "LMCache",
  layer: "tier",
  prefixes: ["lmcache:", "lmcache_"],
  hasAliases: true,
  paths: [],
  roles: prefixed("lmcache:", {
    "prefix_queries": [sum("tokens", "num_lookup_tokens"), sum("tokens", "num_requested_tokens")],
    "prefix_hits": [sum("tokens", "num_lookup_hits"), sum("tokens", "num_hit_tokens")],
    "usage_bytes": [sum("bytes", "local_cache_usage")],
    "remote_read_bytes": [sum("bytes", "num_remote_read_bytes")],
    "retrieve_time": [histogram("seconds", "time_to_retrieve")],
  }),
};

/** The store of Mooncake. */
export const MOONCAKE: Engine = {
  name: "Mooncake store",
  layer: "tier",
  prefixes: ["mooncake_", "master_", "mem_cache_", "file_cache_"],
  paths: [],
  ownPort: "9003",
  roles: {
    "read_bytes": [sum("bytes", "mooncake_transfer_read_bytes")],
    "evicted_bytes": [sum("bytes", "master_evicted_size_bytes")],
    "allocated_bytes": [sum("bytes", "master_allocated_bytes")],
  },
};
