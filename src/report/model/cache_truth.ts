import type { IdealHits, KnownIdeal } from "../../measurement/prefix/ideal_hits.ts";
import { type CacheHits, cacheHits, type CacheSource } from "./cache_hits.ts";
import { cacheMisses } from "./cache_misses.ts";
import { cacheShape } from "./cache_shape.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
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
  /** Hit rate that the prompts were built for with `--prefix-hit-rate`. */
  readonly "planned_hit_rate": number | null;
}

/** Tiers of prompt tokens by source that are no cache. */
const NO_TIERS = new Set(["local_compute"]);
/** In a prefill/decode pair a transfer is no cache. */
const TRANSFER = "external_kv_transfer";

const NO_IDEAL = "the prompts of the run were not compared";
/** Excess over the ideal above which replies do not report hits of these prompts. */
const IMPOSSIBLE_SHARE = 0.05;
/** Excess over the ideal of prompts without replies above which servers seem to keep replies. */
const REPLIES_SHARE = 0.01;
const IMPOSSIBLE =
  "replies report more cached tokens than these prompts have in common: they were " +
  "cached before the run, or transferred between instances";
const DOUBTFUL =
  "replies report another share of cached tokens than servers count, which served other clients, or " +
  "of which some are not in --server-metrics";

/** The prefix cache by the servers' counters, else by what replies report. */
export function cacheTruth(
  { hasTurns = false, plan, prefix, results, roles }:
    & Pick<TruthInput, "hasTurns" | "prefix" | "results" | "roles">
    & { readonly plan?: Pick<TruthInput["plan"], "prefixHitRate"> },
): TruthPart<CacheTruth> {
  const computed = computedShare(roles);
  const known = prefix === undefined || "none" in prefix ? undefined : prefix;
  // Of parts of a run, servers are not known.
  const shape = roles === undefined ? known : cacheShape(roles);
  const [blockSize, capacity] = [shape?.blockSize ?? null, shape?.capacityTokens ?? null];
  const { found, isDoubtful } = bestHits(results, roles, known);
  const reported = found === undefined ? null : found.hits / found.queries;
  const bound = known && boundOf(known, reported);
  const most = bound && idealShare(bound);
  const isAbove = reported !== null && most !== undefined && reported > most + IMPOSSIBLE_SHARE;
  // Replies that the run does not know the tokens of, which caches keep and later turns repeat.
  const hasCachedReplies = isAbove && hasTurns;
  const ideal = bound?.blockSize === undefined || hasCachedReplies ? undefined : bound;
  const infinite = ideal === undefined ? null : most ?? null;
  const lru = ideal === undefined || Number.isNaN(ideal.lruTokens)
    ? null
    : ideal.lruTokens / ideal.promptTokens;
  const isImpossible = found?.source === "replies" && isAbove && !hasTurns;
  const isUnknown = isDoubtful && (known === undefined || isAbove);
  const hitRate = isImpossible || isUnknown ? null : reported;
  const possible = lru ?? infinite;
  const noIdeal = hasCachedReplies
    ? "later turns contain replies, which the server cached"
    : prefix === undefined
    ? NO_IDEAL
    : "none" in prefix
    ? prefix.none
    : "no server reports the size of its blocks";
  return {
    values: {
      "hit_rate": hitRate,
      "ideal_hit_rate": infinite,
      "ideal_lru_hit_rate": lru,
      "achieved_of_ideal": hitRate === null || possible === null || possible === 0
        ? null
        : hitRate / possible,
      misses: hitRate === null || found === undefined || ideal === undefined
        ? {}
        : cacheMisses(found, ideal, roles),
      "block_size": blockSize,
      queries: found?.queries ?? null,
      hits: found?.hits ?? null,
      "hits_by_tier": tiersOf(roles),
      "computed_share": computed,
      "capacity_tokens": capacity,
      source: found?.source ?? null,
      "planned_hit_rate": plan?.prefixHitRate ?? null,
    },
    reasons: {
      ...(hitRate === null
        ? {
          "hit_rate": isUnknown ? DOUBTFUL : isImpossible ? IMPOSSIBLE : noHits(roles),
        }
        : {}),
      ...(blockSize === null ? { "block_size": "no server reports the size of its blocks" } : {}),
      ...(capacity === null
        ? { "capacity_tokens": "no server reports the size of its cache" }
        : {}),
      ...(computed === null
        ? { "computed_share": "no server reports computed or cached tokens" }
        : {}),
      ...(plan?.prefixHitRate === undefined
        ? { "planned_hit_rate": "--prefix-hit-rate is not set" }
        : {}),
      ...(found === undefined
        ? { queries: noHits(roles), hits: noHits(roles), source: noHits(roles) }
        : {}),
      ...(infinite === null ? { "ideal_hit_rate": noIdeal } : {}),
      ...(lru === null
        ? {
          "ideal_lru_hit_rate": infinite === null ? noIdeal : "the size of the cache is not known",
        }
        : {}),
      ...(hitRate !== null && possible !== null && possible > 0 ? {} : {
        "achieved_of_ideal": possible === 0
          ? "the prompts have no block in common"
          : hitRate === null
          ? "the hit rate is not known"
          : noIdeal,
      }),
    },
  };
}

/** The hits that can be believed most; doubtful if servers and replies report different ones. */
function bestHits(
  results: TruthInput["results"],
  roles: ServerRoles | undefined,
  known: KnownIdeal | undefined,
): { readonly found: CacheHits | undefined; readonly isDoubtful: boolean } {
  const byServers = cacheHits(roles, results);
  const replied = roles === undefined || roles.pools.length > 0
    ? undefined
    : cacheHits(undefined, results);
  const isDoubtful = byServers?.source === "engines" && differFrom(replied, byServers);
  // Of other requests replies know nothing; what they report can be checked with the prompts.
  const counted = isDoubtful && known !== undefined ? replied : byServers;
  return { found: counted && withExternal(counted, known && largestShare(known)), isDoubtful };
}

/**
 * Whether replies report cached tokens of other caches than those that were counted. What is outside
 * of an engine is in replies; replies without any are those of servers that report none.
 */
function differFrom(replied: CacheHits | undefined, found: CacheHits): boolean {
  if (replied === undefined || replied.hits === 0 || found.unit !== "tokens") return false;
  const share = replied.hits / replied.queries;
  return [found.hits, found.hits + found.externalHits]
    .every((hits) => Math.abs(hits / found.queries - share) > IMPOSSIBLE_SHARE);
}

function idealShare({ idealTokens, promptTokens }: IdealHits): number {
  return idealTokens / promptTokens;
}

function largestShare(ideal: KnownIdeal): number {
  return Math.max(idealShare(ideal), idealShare(ideal.withReplies ?? ideal));
}

/** The hits that caches could have had: with replies where servers have more than without. */
function boundOf(ideal: KnownIdeal, reported: number | null): KnownIdeal {
  const { withReplies } = ideal;
  return withReplies === undefined || reported === null ||
      reported <= idealShare(ideal) + REPLIES_SHARE
    ? ideal
    : { ...ideal, ...withReplies };
}

/**
 * Hits of caches outside of the engine belong to its hits. Transfers from prefill instances that are not
 * scraped do not; without the prompts, the two cannot be distinguished.
 */
function withExternal(found: CacheHits, most: number | undefined): CacheHits {
  const hits = found.hits + found.externalHits;
  return most !== undefined && hits / found.queries <= most + IMPOSSIBLE_SHARE
    ? { ...found, hits }
    : found;
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

/**
 * Computed by all prompt tokens, of the instances that prefill: as they are counted, else those that
 * neither their caches nor caches outside of them had.
 */
function computedShare(roles: ServerRoles | undefined): number | null {
  if (roles === undefined) return null;
  const query = { layers: ["engine"], ...roles.prefilling } as const;
  const total = (role: RoleName): number | undefined => roles.figure(role, query)?.stats["total"];
  const [computed, prompt = 0] = [total("computed_prompt_tokens"), total("prompt_tokens")];
  if (computed !== undefined && prompt > 0) return Math.min(1, computed / prompt);
  const hits = roles.figure("prefix_hits", query);
  const queries = total("prefix_queries") ?? 0;
  if (computed !== undefined || hits?.unit !== "tokens" || queries === 0) return null;
  const cached = (hits.stats["total"] ?? 0) + (total("external_hits") ?? 0);
  return Math.max(0, 1 - cached / queries);
}
