/** Places of servers in a deployment that separates prefill and decode. */

/** Work of the instances of a pool. */
export type Pool =
  /** Compute prompts, and pass their KV cache on. */
  | "prefill"
  /** Receive KV caches, and generate. */
  | "decode"
  /** Do both. */
  | "unified";

/** The pools, in the order of a request. */
export const POOLS: readonly Pool[] = ["prefill", "decode", "unified"];

/** Place that a user may state for an endpoint: the pool of its instances, or a front. */
export type Place = Pool | "front";

/** The words of places. */
export const PLACES: readonly Place[] = [...POOLS, "front"];

/** The pool that a label, or a word of an objective, names; undefined if there is none. */
export function poolNamed(word: string): Pool | undefined {
  return POOLS.find((pool) => pool === word.toLowerCase());
}
