import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { ShareName } from "../../telemetry/engines/roles.ts";
import { SHARES } from "../../telemetry/engines/roles.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Where the numbers of cached tokens are from. */
export type CacheSource =
  /** Counters of the instances that prefill. */
  | "engines"
  /** Counters of a front, by what engines report to it. */
  | "front"
  /** Counters of a router: what the selected workers had cached. */
  | "router"
  /** Usage in replies. */
  | "replies";

/** Cached tokens of prompts. */
export interface CacheHits {
  readonly source: CacheSource;
  /** In tokens, or in blocks of an engine that counts those. */
  readonly hits: number;
  /** Hits outside of the engine, which are caches or transfers from other instances. */
  readonly externalHits: number;
  readonly queries: number;
  readonly unit: string;
}

const COUNTERS: readonly (readonly [CacheSource, ShareName])[] = [
  ["engines", "prefix_hit_share"],
  ["front", "cached_share"],
  ["router", "routed_hit_share"],
];

/**
 * Cached tokens by the best source. In a prefill/decode pair only counters of the instances that
 * prefill, or of the router, are meant: replies count KV caches that were transferred, or report 0.
 * @returns undefined if nothing reports them
 */
export function cacheHits(
  roles: ServerRoles | undefined,
  results: MetricResults,
): CacheHits | undefined {
  for (const [source, name] of COUNTERS) {
    const share = roles?.share(name);
    if (roles === undefined || share === undefined) continue;
    const { part, whole } = SHARES[name];
    const query = source === "engines" ? roles.prefilling : {};
    const [hits, queries] = [roles.figure(part, query), roles.figure(whole, query)];
    const total = queries?.stats["total"] ?? 0;
    if (hits === undefined || queries === undefined || total === 0) continue;
    // Caches outside of the engine have what its own had not.
    const external = source === "engines" && roles.pools.length === 0
      ? roles.figure("external_hits")?.stats["total"] ?? 0
      : 0;
    return {
      source,
      hits: hits.stats["total"] ?? 0,
      externalHits: external,
      queries: total,
      unit: hits.unit ?? "tokens",
    };
  }
  if (roles !== undefined && roles.pools.length > 0) return undefined;
  const cached = distributionOf(results, "usage_prompt_cache_read_tokens");
  const prompt = distributionOf(results, "usage_prompt_tokens");
  return cached === undefined || prompt === undefined || prompt.sum === 0
    ? undefined
    : { source: "replies", externalHits: 0, hits: cached.sum, queries: prompt.sum, unit: "tokens" };
}
