import type { Shard } from "../../shard/shard.ts";

/** Default seed of shards: they must generate equal prompts without communication. */
const SHARD_SEED = 0;

/** The seed of a run that was given none. */
export function defaultSeed(shard: Shard | undefined): number {
  return shard === undefined ? Math.floor(Math.random() * 2 ** 31) : SHARD_SEED;
}
