import type { IdealHits } from "../../measurement/prefix/ideal_hits.ts";
import type { CacheHits } from "./cache_hits.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Largest difference of hits by servers and by replies that are the same hits. */
const TOLERANCE = 0.02;

/** Prompt tokens that no cache had, by cause. */
export type CacheMisses = Readonly<{
  /** In blocks that no earlier prompt had. */
  "first_use": number;
  /** In blocks that another request was still computing. */
  concurrent: number;
  /**
   * In the cache of a replica that the router did not choose; null if neither replies name replicas
   * nor a router reports them.
   */
  "other_replica": number | null;
  /** The rest: evicted, or of another cause that servers do not report. */
  "evicted_at_most": number;
  /** After the last full block, and the last token, which is always computed. */
  uncacheable: number;
}>;

/** Divides the prompt tokens that were not cached by cause. */
export function cacheMisses(
  { hits, unit }: CacheHits,
  ideal: IdealHits,
  roles: ServerRoles | undefined,
): CacheMisses | Record<string, never> {
  // Blocks cannot be compared with tokens.
  if (unit !== "tokens") return {};
  const firstUse = ideal.reusableTokens - ideal.idealTokens;
  const isByReply = Math.abs(ideal.cachedTokens - hits) <= TOLERANCE * Math.max(hits, 1);
  const missed = isByReply ? ideal.missedTokens : Math.max(0, ideal.idealTokens - hits);
  const concurrent = isByReply
    ? ideal.missedConcurrentTokens
    : Math.min(missed, ideal.concurrentTokens);
  const elsewhere = isByReply
    ? ideal.missedElsewhereTokens ?? otherReplica(roles)
    : ideal.elsewhereTokens ?? otherReplica(roles);
  const known = Math.min(elsewhere ?? 0, missed - concurrent);
  return {
    "first_use": firstUse,
    concurrent,
    "other_replica": elsewhere === null ? null : known,
    "evicted_at_most": missed - concurrent - known,
    uncacheable: ideal.promptTokens - ideal.reusableTokens,
  };
}

/** Tokens that the best worker had cached and the selected one had not. */
function otherReplica(roles: ServerRoles | undefined): number | null {
  const [best, selected] = (["routed_best_cached", "routed_selected_cached"] as const).map((role) =>
    roles?.figure(role)?.stats["total"]
  );
  return best === undefined || selected === undefined ? null : Math.max(0, best - selected);
}
