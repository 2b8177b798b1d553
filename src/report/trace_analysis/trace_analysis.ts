/** Results of `analyze-trace`: its JSON file has these names. */

import type { SessionsAnalysis } from "./session_analysis.ts";
import type { Summary } from "../../core/statistics/summarize.ts";

/** See the module's comment. Files of agent sessions have the fields of their sessions as well. */
export interface TraceAnalysis extends Partial<SessionsAnalysis> {
  readonly "file": string;
  readonly "format": string;
  readonly "requests": number;
  /** Requests that name no conversation are one each. */
  readonly "conversations": number;
  /** Tokens; null where no request states any. */
  readonly "input_length": Summary | null;
  readonly "output_length": Summary | null;
  /** null without times. */
  readonly "time": TraceTimes | null;
  /** null without hash_ids. */
  readonly "prefix_cache": TracePrefixes | null;
}

/** Requests over time. */
export interface TraceTimes {
  /** From the first request to the last one. */
  readonly "duration_s": number;
  readonly "requests_per_s": number;
  /** Width of the intervals of the columns. */
  readonly "interval_s": number;
  /** Highest number of requests of an interval, for each second. */
  readonly "peak_requests_per_s": number;
  /** Columns of the intervals, in their order. */
  readonly "intervals": {
    readonly "requests": readonly number[];
    readonly "input_tokens": readonly number[];
    readonly "output_tokens": readonly number[];
  };
}

/** Common beginnings of prompts. */
export interface TracePrefixes {
  /** Tokens. */
  readonly "block_size": number;
  /** Blocks of all prompts, and different ones. */
  readonly "blocks": number;
  readonly "unique_blocks": number;
  /** Number of distinct blocks that only one prompt has. */
  readonly "blocks_used_once": number;
  /** How many prompts a block that several have is in, on average. */
  readonly "mean_uses_of_shared_blocks": number | null;
  readonly "most_uses_of_a_block": number;
  /** Result of a cache without eviction: the upper bound for a server. */
  readonly "infinite_cache": CacheResult;
  /** Results of caches that evict the least recently used block. */
  readonly "caches": readonly (CacheResult & { readonly "size_tokens": number })[];
}

/** How much of the prompts a cache would have had. */
export interface CacheResult {
  /** Fraction of the tokens of the prompts whose blocks are in the trace. */
  readonly "hit_rate": number;
  readonly "hit_tokens": number;
  /** Mean and percentiles of the requests' own shares. */
  readonly "hit_rate_of_requests": Summary;
}
