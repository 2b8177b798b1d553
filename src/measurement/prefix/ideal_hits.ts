/**
 * The hits that prefix caches could have had with prompts in the order of their arrival: an infinite
 * one, and one that drops the least recently used blocks. All weighted by tokens. The last token of a
 * prompt is always computed, so of n tokens in blocks of B, floor((n - 1) / B) B are reusable.
 */

import { BlockLru } from "./block_lru.ts";
import { fillBlocks, ReplicaBlocks } from "./replica_blocks.ts";
import type { PlacedPrompt, PromptBlocks } from "./prompt_blocks.ts";

/** A request as caches see it. */
export interface CachedRequest extends PlacedPrompt {
  /** When it was sent; ns. */
  readonly startNs: number;
  /** When its prompt had been computed, by its first token; ns, Infinity if never. */
  readonly readyNs: number;
  /** Prompt tokens that the server took from caches; NaN if the reply does not report them. */
  readonly cachedTokens: number;
  /** Number of the replica that computed it; NaN if the reply does not name it. */
  readonly worker?: number;
  /** Whether it only fills caches, as requests of a warm-up do. */
  readonly isBefore: boolean;
  /** The prompt with the reply to it, which caches keep as well, and when that was computed; ns. */
  readonly reply?: PlacedPrompt & { readonly readyNs: number };
}

/** Sums over the requests, in tokens. */
export interface IdealHits {
  readonly requests: number;
  readonly promptTokens: number;
  readonly reusableTokens: number;
  /** Hits of an infinite cache, and of one of the given size; the latter NaN without a size. */
  readonly idealTokens: number;
  readonly lruTokens: number;
  /** Ideal hits that another request was still computing when this one was sent. */
  readonly concurrentTokens: number;
  /** By what replies report; NaN where one does not. */
  readonly cachedTokens: number;
  /** Ideal hits that were missed, and of these those that another request was still computing. */
  readonly missedTokens: number;
  readonly missedConcurrentTokens: number;
  /**
   * Ideal hits in blocks that only other replicas have computed, and those of them that were missed;
   * missing if not every reply names its replica, or only one is named. With replicas, concurrent
   * tokens are those that the same replica was still computing.
   */
  readonly elsewhereTokens?: number;
  readonly missedElsewhereTokens?: number;
}

/** Size of the caches. */
export interface CacheSize {
  /** Tokens of a block; undefined if they are not known, which makes all hits upper bounds. */
  readonly blockSize: number | undefined;
  /** Tokens of all caches together; undefined if they are not known. */
  readonly capacityTokens: number | undefined;
}

/** The hits that caches of a size could have had, or why they are not known. */
export type PrefixIdeal = KnownIdeal | { readonly none: string };

/** Hits that caches of a size could have had. */
export interface KnownIdeal extends IdealHits, CacheSize {
  /** Hits of caches that keep replies as well; missing where no prompt repeats one. */
  readonly withReplies?: IdealHits;
}

/** Ideal hits of one request. */
export interface RequestHits extends IdealHits {
  /** When it was sent; ns. */
  readonly startNs: number;
  /** Number of the replica that computed it; NaN if the reply does not name it. */
  readonly worker: number;
  /** Tokens that the same replica was still computing; NaN as `worker`. */
  readonly replicaTokens: number;
  readonly missedReplicaTokens: number;
  readonly elsewhereTokens: number;
  readonly missedElsewhereTokens: number;
}

/**
 * Finds what caches could have had, request by request, without those that only fill caches.
 * @param requests in the order in which they arrived
 * @param capacityBlocks of all caches together; undefined if it is not known
 */
export function* hitsByRequest(
  requests: Iterable<CachedRequest>,
  blocks: PromptBlocks,
  blockSize: number,
  capacityBlocks: number | undefined,
): Generator<RequestHits> {
  const lru = capacityBlocks === undefined
    ? undefined
    : new BlockLru(capacityBlocks, blocks.length);
  /** When each block had first been computed; NaN for blocks that no prompt had yet. */
  const ready = new Float64Array(blocks.length).fill(NaN);
  const replicas = new ReplicaBlocks(blocks.length);
  const fill = (worker: number, computed: Int32Array, readyNs: number): void => {
    lru?.add(computed);
    fillBlocks(ready, computed, readyNs);
    replicas.fill(worker, computed, readyNs);
  };
  for (const request of requests) {
    const own = blocks.of(request);
    const reusable = Math.max(0, Math.floor((request.tokens - 1) / blockSize));
    const ideal = leading(own, reusable, (block) => !Number.isNaN(ready[block] as number));
    const { cachedTokens, startNs, tokens, worker = NaN } = request;
    if (!request.isBefore) {
      const available = leading(own, ideal, (block) => (ready[block] as number) <= startNs);
      const concurrentTokens = (ideal - available) * blockSize;
      const missedTokens = Math.max(0, ideal * blockSize - cachedTokens);
      const { computing, elsewhere } = replicas.missing({ startNs, worker }, own, ideal);
      const replicaTokens = computing * blockSize;
      const elsewhereTokens = elsewhere * blockSize;
      yield {
        ...{ startNs, worker, requests: 1, promptTokens: tokens, cachedTokens },
        ...{ reusableTokens: reusable * blockSize, idealTokens: ideal * blockSize },
        lruTokens: lru === undefined
          ? NaN
          : leading(own, reusable, (block) => lru.has(block)) * blockSize,
        ...{ concurrentTokens, missedTokens, replicaTokens, elsewhereTokens },
        missedConcurrentTokens: Math.min(missedTokens, concurrentTokens),
        missedReplicaTokens: Math.min(missedTokens, replicaTokens),
        missedElsewhereTokens: Math.min(Math.max(0, missedTokens - replicaTokens), elsewhereTokens),
      };
    }
    fill(worker, own, request.readyNs);
    const { reply } = request;
    if (reply !== undefined) fill(worker, blocks.of(reply), reply.readyNs);
  }
}

/** Adds up the hits of requests. */
export function summedHits(all: Iterable<RequestHits>): IdealHits {
  const sums = {
    ...{ requests: 0, promptTokens: 0, reusableTokens: 0, idealTokens: 0, lruTokens: 0 },
    ...{ concurrentTokens: 0, cachedTokens: 0, missedTokens: 0, missedConcurrentTokens: 0 },
    ...{ replicaTokens: 0, missedReplicaTokens: 0, elsewhereTokens: 0, missedElsewhereTokens: 0 },
  };
  const names = Object.keys(sums) as (keyof typeof sums)[];
  const workers = new Set<number>();
  for (const hits of all) {
    for (const name of names) sums[name] += hits[name];
    workers.add(hits.worker);
  }
  const { elsewhereTokens, missedElsewhereTokens, missedReplicaTokens, replicaTokens, ...found } =
    sums;
  // Of one replica it is not known whether it is the only one.
  return workers.size < 2 || Number.isNaN(elsewhereTokens) ? found : {
    ...{ ...found, elsewhereTokens, missedElsewhereTokens },
    ...{ concurrentTokens: replicaTokens, missedConcurrentTokens: missedReplicaTokens },
  };
}

/** Number of blocks at the beginning for which something holds, at most some. */
function leading(blocks: Int32Array, most: number, holds: (block: number) => boolean): number {
  let count = 0;
  while (count < most && count < blocks.length && holds(blocks[count] as number)) count++;
  return count;
}
