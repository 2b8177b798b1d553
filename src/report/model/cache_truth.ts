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
}

const NO_CACHE = "no server reports hits of a prefix cache";
const NO_IDEAL = "the prompts of the run were not compared";

/** The prefix cache by the servers' counters. */
export function cacheTruth({ roles }: TruthInput): TruthPart<CacheTruth> {
  const hitRate = roles?.share("prefix_hit_share") ?? null;
  const blockSize = roles?.figure("kv_block_size")?.stats["max"] ?? null;
  return {
    values: {
      "hit_rate": hitRate,
      "ideal_hit_rate": null,
      "ideal_lru_hit_rate": null,
      "achieved_of_ideal": null,
      misses: {},
      "block_size": blockSize,
    },
    reasons: {
      ...(hitRate === null ? { "hit_rate": NO_CACHE } : {}),
      ...(blockSize === null ? { "block_size": "no server reports the size of its blocks" } : {}),
      "ideal_hit_rate": NO_IDEAL,
      "ideal_lru_hit_rate": NO_IDEAL,
      "achieved_of_ideal": NO_IDEAL,
    },
  };
}
