/** A prefill and a decode instance of vLLM: the program's values against their counters. */

import assert from "node:assert/strict";
import { assertValues } from "./assert_values.ts";
import type { PageCounter } from "./page_counters.ts";

/** Values of `server_truth` that are checked. */
interface PairTruth {
  readonly cache: Readonly<Record<string, unknown>>;
  readonly pools: Readonly<Record<"prefill" | "decode", Readonly<Record<string, unknown>>>>;
  readonly "ttft_split_ms": Readonly<Record<string, number | null>>;
  readonly "ttft_split_basis": { readonly "client_ms": number; readonly dispatch: string | null };
}

/**
 * Asserts what the program reports of caches, pools and the time to first token.
 * @param prefill counters over the run, as those of `decode`
 */
export function assertVllmPair(truth: PairTruth, prefill: PageCounter, decode: PageCounter): void {
  const hits = prefill("vllm:prefix_cache_hits_total");
  const queries = prefill("vllm:prefix_cache_queries_total");
  const computed = bySource(prefill, "local_compute");
  assertValues(truth.cache, {
    "hit_rate": hits / queries,
    ...{ hits, queries },
    "computed_share": computed / prefill("vllm:prompt_tokens_total"),
  });
  assertValues(truth.pools.prefill, { ...countsOf(prefill), "prefix_hit_rate": hits / queries });
  assertValues(truth.pools.decode, countsOf(decode));
  const split = truth["ttft_split_ms"];
  const { client_ms: clientMs, dispatch } = truth["ttft_split_basis"];
  const queueMs = meanMs(prefill, "request_queue_time_seconds");
  const prefillMs = meanMs(prefill, "request_prefill_time_seconds");
  const decodeQueueMs = meanMs(decode, "request_queue_time_seconds");
  const [first, second] = [prefill, decode].map((page) =>
    meanMs(page, "time_to_first_token_seconds")
  );
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(dispatch, "sequential");
  assertValues(split, {
    ...{ queue: queueMs, prefill: prefillMs },
    "engine_rest": first - queueMs - prefillMs,
    "decode_queue": decodeQueueMs,
    "kv_transfer_and_first_decode_step": second - decodeQueueMs,
    "network_and_front": clientMs - first - second,
  });
  const all = Object.values(split).reduce((sum: number, ms) => sum + (ms ?? 0), 0);
  assertValues({ all }, { all: clientMs });
}

function countsOf(page: PageCounter): Record<string, number> {
  return {
    requests: page("vllm:request_success_total"),
    "prompt_tokens": page("vllm:prompt_tokens_total"),
    "computed_prompt_tokens": bySource(page, "local_compute"),
    "generation_tokens": page("vllm:generation_tokens_total"),
  };
}

function bySource(page: PageCounter, source: string): number {
  return page("vllm:prompt_tokens_by_source_total", `source="${source}"`);
}

function meanMs(page: PageCounter, name: string): number {
  return page(`vllm:${name}_sum`) / page(`vllm:${name}_count`) * 1e3;
}
