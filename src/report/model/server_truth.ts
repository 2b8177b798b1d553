/**
 * Values that only servers can report about themselves: caches, speculative decoding,
 * pools of instances, and the parts of the time to first token. A value that is not known is null,
 * and `reasons` has why.
 */

import { type CacheTruth, cacheTruth } from "./cache_truth.ts";
import { type PoolsTruth, poolsTruth } from "./pools_truth.ts";
import { type SpeculationTruth, speculationTruth } from "./speculation_truth.ts";
import type { TruthInput, TruthPart } from "./truth_part.ts";
import { ttftSplit, type TtftSplitPart } from "./ttft_split.ts";

/** See the module's comment. */
export interface ServerTruth {
  readonly cache: TruthPart<CacheTruth>;
  readonly speculation: TruthPart<SpeculationTruth>;
  readonly pools: TruthPart<PoolsTruth>;
  readonly ttftSplit: TtftSplitPart;
}

/** Builds all parts. */
export function serverTruth(input: TruthInput): ServerTruth {
  return {
    cache: cacheTruth(input),
    speculation: speculationTruth(input),
    pools: poolsTruth(input),
    ttftSplit: ttftSplit(input),
  };
}

/** Whether servers are known to separate prefill and decode. */
export function isOfPair({ pools: { values: { decode, prefill } } }: ServerTruth): boolean {
  return prefill !== null || decode !== null;
}
