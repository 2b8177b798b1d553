/** What `analyze-trace` finds: its JSON file has these names. */

import type { Summary } from "../../core/statistics/summarize.ts";

/** See the module's comment. */
export interface TraceAnalysis {
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

/** What prompts begin with in common. */
export interface TracePrefixes {
  /** Tokens. */
  readonly "block_size": number;
  /** Blocks of all prompts, and different ones. */
  readonly "blocks": number;
  readonly "unique_blocks": number;
  /** Different blocks that one prompt alone has. */
  readonly "blocks_used_once": number;
  /** How many prompts a block that several have is in, on average. */
  readonly "mean_uses_of_shared_blocks": number | null;
  readonly "most_uses_of_a_block": number;
  /** Of a cache that gives up nothing: what a server can reach at best. */
  readonly "infinite_cache": CacheResult;
  /** Of caches that give up what was used longest ago. */
  readonly "caches": readonly (CacheResult & { readonly "size_tokens": number })[];
}

/** How much of the prompts a cache would have had. */
export interface CacheResult {
  /** Share of the tokens of the prompts whose blocks the trace tells. */
  readonly "hit_rate": number;
  readonly "hit_tokens": number;
  /** Mean and percentiles of the requests' own shares. */
  readonly "hit_rate_of_requests": Summary;
}
