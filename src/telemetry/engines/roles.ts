/** Roles: what the metrics of different engines mean, by one name for all of them. */

/** Meaning of a role's numbers over time. */
export type RoleKind =
  /** A gauge: statistics over time. */
  | "level"
  /** Increase over a window: of counters, or of what histograms observed. */
  | "count"
  /** Histogram of times: mean and percentiles. */
  | "time";

/** A row of the table. */
export interface Role {
  readonly kind: RoleKind;
  /** Further names in objectives. */
  readonly aliases?: readonly string[];
  /** Name in short reports. */
  readonly label: string;
  /** Part of a histogram that a count is. @default "sum" */
  readonly ofHistogram?: "count";
  /** Whether a server with more than zero is busy. */
  readonly isBusy?: true;
  /** Whether short reports leave zero out: it is no news. */
  readonly ifAny?: true;
}

function level(label: string, more: Omit<Role, "kind" | "label"> = {}): Role {
  return { kind: "level", label, ...more };
}

function count(label: string, more: Omit<Role, "kind" | "label"> = {}): Role {
  return { kind: "count", label, ...more };
}

function time(label: string): Role {
  return { kind: "time", label };
}

const ROWS = {
  // Requests in a server
  running: level("running", { isBusy: true }),
  waiting: level("waiting", { isBusy: true }),
  "waiting_pd": level("transfer queues", { isBusy: true, ifAny: true }),
  "router_waiting": level("router queue", { isBusy: true, ifAny: true }),
  "front_waiting": level("API queue", { isBusy: true, ifAny: true }),
  "decode_waiting": level("decode queue", { isBusy: true, ifAny: true }),
  swapped: level("swapped", { isBusy: true, ifAny: true }),
  retracted: level("retracted", { ifAny: true }),
  "max_running": level("request limit"),
  "busy_slots": level("busy slots"),
  "sleep_state": level("sleep state"),
  // KV cache
  "kv_usage": level("KV cache", { aliases: ["kv_cache_usage"] }),
  "kv_used_tokens": level("KV cache tokens"),
  "kv_blocks": level("KV cache blocks"),
  "kv_block_size": level("KV block size"),
  "kv_capacity_tokens": level("KV cache capacity"),
  "host_usage": level("host cache use"),
  "host_capacity": level("host cache capacity"),
  preemptions: count("preemptions", { ifAny: true }),
  "evicted_tokens": count("evicted tokens", { ifAny: true }),
  "offload_bytes": count("offloaded bytes", { ifAny: true }),
  // Prefix cache
  "prefix_queries": count("prefix queries"),
  "prefix_hits": count("prefix hits"),
  "prefix_hit_rate": level("cache hits"),
  "external_queries": count("external queries"),
  "external_hits": count("external hits"),
  "cached_tokens": count("cached tokens"),
  "cached_by_tier": count("cached tokens by tier"),
  "computed_prompt_tokens": count("computed prompt tokens"),
  "prompt_by_source": count("prompt tokens by source"),
  // Requests and tokens
  requests: count("requests", { ofHistogram: "count" }),
  failures: count("failures", { ifAny: true }),
  rejections: count("rejections", { ifAny: true }),
  // Requests that were passed on once more.
  retries: count("retries", { ifAny: true }),
  "prompt_tokens": count("tokens in"),
  "generation_tokens": count("tokens out"),
  "iteration_tokens": count("iteration tokens"),
  // Times of requests
  ttft: time("TTFT"),
  itl: time("ITL"),
  tpot: time("TPOT"),
  e2e: time("latency"),
  queue: time("queue time"),
  prefill: time("prefill"),
  decode: time("decode"),
  inference: time("inference"),
  tokenize: time("tokenization"),
  upstream: time("upstream latency"),
  overhead: time("gateway overhead"),
  // Times as totals
  stages: count("time by stage"),
  forward: count("time by method"),
  "queue_us": count("queue time in total"),
  "prompt_seconds": count("prefill time in total"),
  "decode_seconds": count("decode time in total"),
  // Speculative decoding
  "spec_drafts": count("drafts"),
  "spec_draft_tokens": count("draft tokens"),
  "spec_accepted": count("accepted tokens"),
  "spec_accepted_per_pos": count("accepted tokens by position"),
  "spec_drafted_per_pos": count("draft tokens by position"),
  "spec_emitted": count("emitted tokens"),
  "spec_length_gauge": level("acceptance length"),
  "spec_rate_gauge": level("acceptance rate"),
  // KV cache transfer between instances
  "transfer_time": time("KV transfer"),
  "transfer_ms": count("KV transfer time in total"),
  "transfer_bytes": count("transferred bytes"),
  "transfer_failures": count("failed transfers", { ifAny: true }),
  // Routing by cached prefixes
  "routed_prompt_tokens": count("routed prompt tokens"),
  "routed_selected_cached": count("cached tokens at the selected worker"),
  "routed_best_cached": count("cached tokens at the best worker"),
  "worker_reused": count("reused tokens"),
  // Caches outside of engines
  "usage_bytes": level("cache size"),
  "allocated_bytes": level("allocated bytes"),
  "read_bytes": count("read bytes"),
  "remote_read_bytes": count("remotely read bytes"),
  "evicted_bytes": count("evicted bytes"),
  "retrieve_time": time("retrieval"),
  // GPUs
  gpu: level("GPU"),
  power: level("GPU power"),
  energy: count("GPU energy"),
  "memory_used": level("GPU memory"),
  // Configuration
  "lora_info": level("LoRA adapters"),
  info: level("configuration"),
} as const satisfies Readonly<Record<string, Role>>;

/** Name of a role, as files and objectives have it. */
export type RoleName = keyof typeof ROWS;

/** The roles by their names. */
export const ROLES: Readonly<Record<RoleName, Role>> = ROWS;

/** Names of all roles, in the order of the table. */
export const ROLE_NAMES = Object.keys(ROWS) as readonly RoleName[];

/** A ratio of two totals. */
export interface Share {
  readonly part: RoleName;
  readonly whole: RoleName;
  /** Name in short reports. */
  readonly label: string;
  /** Name in tables. */
  readonly title: string;
  /** Added to the ratio. @default 0 */
  readonly plus?: number;
  /** Whether zero shows nothing, because servers report it where they do not know. */
  readonly ifAny?: true;
  /**
   * Caches that it is a share of: those of the instances that prefill, or only of instances that
   * prefill and decode. @default none
   */
  readonly ofCaches?: "prefilling" | "unified";
}

const SHARE_ROWS = {
  "prefix_hit_share": {
    ...{ part: "prefix_hits", whole: "prefix_queries" },
    ...{ label: "prefix hits", title: "prefix cache hit rate", ofCaches: "prefilling" },
  },
  "external_hit_share": {
    ...{ part: "external_hits", whole: "external_queries" },
    ...{ label: "external hits", title: "external prefix cache hit rate", ofCaches: "prefilling" },
  },
  // In a prefill/decode pair, fronts report 0 whatever was cached.
  "cached_share": {
    ...{ part: "cached_tokens", whole: "prompt_tokens", ifAny: true },
    ...{ label: "cache hits", title: "prompt cache hit rate", ofCaches: "unified" },
  },
  // Of the workers that a router chose.
  "routed_hit_share": {
    ...{ part: "routed_selected_cached", whole: "routed_prompt_tokens" },
    ...{ label: "routed to cached", title: "prompt tokens cached at the selected worker" },
  },
  "acceptance_rate": {
    ...{ part: "spec_accepted", whole: "spec_draft_tokens" },
    ...{ label: "acceptance", title: "draft acceptance rate" },
  },
  "acceptance_length": {
    ...{ part: "spec_accepted", whole: "spec_drafts", plus: 1 },
    ...{ label: "accepted length", title: "draft acceptance length" },
  },
} as const satisfies Readonly<Record<string, Share>>;

/** Name of a ratio of two roles. */
export type ShareName = keyof typeof SHARE_ROWS;

/** The ratios by their names. */
export const SHARES: Readonly<Record<ShareName, Share>> = SHARE_ROWS;

/** Names of all ratios, in the order of the table. */
export const SHARE_NAMES = Object.keys(SHARE_ROWS) as readonly ShareName[];

const BY_WORD: ReadonlyMap<string, RoleName | ShareName> = new Map([
  ...ROLE_NAMES.flatMap((name) =>
    [name, ...ROLES[name].aliases ?? []].map((word) => [word, name] as const)
  ),
  ...SHARE_NAMES.map((name) => [name, name] as const),
]);

/** The role or ratio that a word of an objective names; undefined if there is none. */
export function roleNamed(word: string): RoleName | ShareName | undefined {
  return BY_WORD.get(word.toLowerCase());
}

/** Whether a name is that of a ratio. */
export function isShare(name: RoleName | ShareName): name is ShareName {
  return name in SHARES;
}

/** All words that name a role or a ratio. */
export const ROLE_WORDS: readonly string[] = [...BY_WORD.keys()];
