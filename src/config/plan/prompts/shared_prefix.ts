/** A prefix that prompts share, so that prefix caches have a fraction of their tokens. */
export interface SharedPrefix {
  /** Tokens of the shortest prefix. */
  readonly tokens: number;
  /** Lengths that prompts have in turn; undefined for prompts without room for several. */
  readonly lengths: { readonly count: number; readonly stepTokens: number } | undefined;
}

/**
 * Tokens by which prefixes are longer than the fraction on average: a cache has whole blocks only, which
 * are 16 tokens in most servers, so that it misses half a block.
 */
const BLOCK_LOSS_TOKENS = 8;
/** Lengths of the prefix. */
const LENGTHS = 8;
/** Tokens over which lengths are spread, the best first: one or two blocks of most servers. */
const SPREADS = [32, 16] as const;

/**
 * Finds the prefix of prompts of a length that caches have a fraction of. With one length, caches would
 * miss anything from nothing to a block of every prompt; lengths that are spread over blocks miss half
 * of one on average, wherever blocks begin.
 * @param isl tokens of a prompt
 * @param rate fraction from 0 to 1
 */
export function sharedPrefix(isl: number, rate: number): SharedPrefix {
  const mean = Math.round(rate * isl) + BLOCK_LOSS_TOKENS;
  for (const spread of SPREADS) {
    const stepTokens = spread / LENGTHS;
    // The middles of the parts that lengths divide the spread into.
    const tokens = mean - spread / 2 + stepTokens / 2;
    const longest = tokens + (LENGTHS - 1) * stepTokens;
    if (tokens > 0 && longest < isl) return { tokens, lengths: { count: LENGTHS, stepTokens } };
  }
  return { tokens: Math.min(isl - 1, mean), lengths: undefined };
}
