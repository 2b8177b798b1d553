import type { Shard } from "../../shard/shard.ts";

/** Seed of shards where none was given: they must come to the same prompts without a word. */
const SHARD_SEED = 0;

/** The seed of a run that was given none. */
export function defaultSeed(shard: Shard | undefined): number {
  return shard === undefined ? Math.floor(Math.random() * 2 ** 31) : SHARD_SEED;
}
