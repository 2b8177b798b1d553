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
  /** Parts of the time to first token over the whole run, as all other parts. */
  readonly ttftSplit: TtftSplitPart;
  /** Parts over the part of the run that is shown. */
  readonly shownTtft: TtftSplitPart;
}

/** Builds all parts. */
export function serverTruth(input: TruthInput): ServerTruth {
  const { results, roles, shown } = input;
  const ttft = ttftSplit({ name: "run", results, roles });
  return {
    cache: cacheTruth(input),
    speculation: speculationTruth(input),
    pools: poolsTruth(input),
    ttftSplit: ttft,
    shownTtft: shown === undefined || shown.name === "run" ? ttft : ttftSplit(shown),
  };
}

/** Whether servers are known to separate prefill and decode. */
export function isOfPair({ pools: { values: { decode, prefill } } }: ServerTruth): boolean {
  return prefill !== null || decode !== null;
}
