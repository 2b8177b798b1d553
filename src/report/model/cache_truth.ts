import { cacheHits, type CacheSource } from "./cache_hits.ts";
import type { ServerRoles } from "./server_roles.ts";
import type { TruthInput, TruthPart } from "./truth_part.ts";

/** The prefix cache of the servers, weighted by tokens. Fractions are from 0 to 1. */
export interface CacheTruth {
  /** Cached tokens of all prompt tokens. */
  readonly "hit_rate": number | null;
  /** The hit rate that an infinite cache would have reached with the same prompts. */
  readonly "ideal_hit_rate": number | null;
  /** The hit rate of one LRU cache of the servers' size. */
  readonly "ideal_lru_hit_rate": number | null;
  /** `hit_rate` by `ideal_lru_hit_rate`. */
  readonly "achieved_of_ideal": number | null;
  /** Missed tokens that a cache could have had, by cause. */
  readonly misses: Readonly<Record<string, number | null>>;
  /** Tokens of a block. */
  readonly "block_size": number | null;
  /** Tokens, or blocks of an engine that counts these, that were looked for, and those found. */
  readonly queries: number | null;
  readonly hits: number | null;
  /** Cached tokens by the cache that had them. */
  readonly "hits_by_tier": Readonly<Record<string, number>>;
  /** Prompt tokens that were computed, of all. */
  readonly "computed_share": number | null;
  /** Tokens that all caches can hold, by the servers' configuration. */
  readonly "capacity_tokens": number | null;
  /** Where hits are from. */
  readonly source: CacheSource | null;
}

/** Tiers of prompt tokens by source that are no cache. */
const NO_TIERS = new Set(["local_compute"]);
/** In a prefill/decode pair a transfer is no cache. */
const TRANSFER = "external_kv_transfer";

const NO_IDEAL = "the prompts of the run were not compared";

/** The prefix cache by the servers' counters, else by what replies report. */
export function cacheTruth({ results, roles }: TruthInput): TruthPart<CacheTruth> {
  const found = cacheHits(roles, results);
  const blockSize = roles?.figure("kv_block_size")?.stats["max"] ?? null;
  const capacity = capacityTokens(roles);
  const computed = computedShare(roles);
  return {
    values: {
      "hit_rate": found === undefined ? null : found.hits / found.queries,
      "ideal_hit_rate": null,
      "ideal_lru_hit_rate": null,
      "achieved_of_ideal": null,
      misses: {},
      "block_size": blockSize,
      queries: found?.queries ?? null,
      hits: found?.hits ?? null,
      "hits_by_tier": tiersOf(roles),
      "computed_share": computed,
      "capacity_tokens": capacity,
      source: found?.source ?? null,
    },
    reasons: {
      ...(found === undefined ? { "hit_rate": noHits(roles) } : {}),
      ...(blockSize === null ? { "block_size": "no server reports the size of its blocks" } : {}),
      ...(capacity === null
        ? { "capacity_tokens": "no server reports the size of its cache" }
        : {}),
      ...(computed === null ? { "computed_share": "no server reports computed tokens" } : {}),
      "ideal_hit_rate": NO_IDEAL,
      "ideal_lru_hit_rate": NO_IDEAL,
      "achieved_of_ideal": NO_IDEAL,
    },
  };
}

function noHits(roles: ServerRoles | undefined): string {
  return (roles?.pools.length ?? 0) > 0
    ? "no prefill instance reports hits, and replies of a prefill/decode pair count transfers " +
      "as cached"
    : "neither servers nor replies report cached tokens";
}

/** Cached tokens by cache, of the instances that prefill; empty if servers do not distinguish caches. */
function tiersOf(roles: ServerRoles | undefined): Readonly<Record<string, number>> {
  if (roles === undefined) return {};
  const query = roles.prefilling;
  const byTier = roles.figure("cached_by_tier", query)?.by;
  if (byTier !== undefined && Object.keys(byTier).length > 0) return byTier;
  const bySource = roles.figure("prompt_by_source", query)?.by ?? {};
  const isPair = roles.pools.length > 0;
  return Object.fromEntries(
    Object.entries(bySource).filter(([name]) =>
      !NO_TIERS.has(name) && !(isPair && name === TRANSFER)
    ),
  );
}

/** Computed by all prompt tokens, of the instances that prefill. */
function computedShare(roles: ServerRoles | undefined): number | null {
  if (roles === undefined) return null;
  const total = (role: "computed_prompt_tokens" | "prompt_tokens"): number | undefined =>
    roles.figure(role, { layers: ["engine"], ...roles.prefilling })?.stats["total"];
  const [computed, prompt = 0] = [total("computed_prompt_tokens"), total("prompt_tokens")];
  return computed === undefined || prompt === 0 ? null : Math.min(1, computed / prompt);
}

/**
 * Tokens that the caches of all instances that prefill can hold: as reported, else blocks by their
 * size. vLLM never uses one block of each engine.
 */
function capacityTokens(roles: ServerRoles | undefined): number | null {
  if (roles === undefined) return null;
  const query = roles.prefilling;
  const reported = roles.figure("kv_capacity_tokens", query)?.stats["max"];
  if (reported !== undefined && reported > 0) return reported;
  const blocks = roles.figure("kv_blocks", query);
  const size = roles.figure("kv_block_size", query)?.stats["max"];
  const count = blocks?.stats["max"];
  if (blocks === undefined || count === undefined || size === undefined) return null;
  const isVllm = blocks.engines.some((name) => name === "vLLM" || name === "Aphrodite");
  return (count - (isVllm ? blocks.instances : 0)) * size;
}
