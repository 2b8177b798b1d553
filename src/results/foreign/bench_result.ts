/**
 * The result that vLLM's `bench serve` and SGLang's `bench_serving` have in common: one object with
 * settings, statistics as `mean_ttft_ms`, and lists with an entry for each request.
 */

import {
  figuresOf,
  type ForeignFigures,
  type ForeignRequest,
  type JsonObject,
  listIn,
  numberIn,
  numbersIn,
} from "./foreign_result.ts";

/** Our tags by the names in their keys; TPOT is what AIPerf calls inter-token latency. */
const METRICS: readonly (readonly [key: string, tag: string])[] = [
  ["ttft", "time_to_first_token"],
  ["tpot", "inter_token_latency"],
  ["itl", "inter_chunk_latency"],
  ["e2el", "request_latency"],
  ["e2e_latency", "request_latency"],
];

/** Figures as the tool computed them. */
export function benchFigures(result: JsonObject): Map<string, ForeignFigures> {
  const figures = new Map<string, ForeignFigures>();
  for (const [key, tag] of METRICS) {
    const percentiles = Object.keys(result).flatMap((name) => {
      const [, percent, metric] = /^p(\d+(?:\.\d+)?)_(.+)_ms$/.exec(name) ?? [];
      return metric === key ? [[`p${percent}`, numberIn(result[name])] as const] : [];
    });
    const stats = numbersIn({
      avg: numberIn(result[`mean_${key}_ms`]),
      p50: numberIn(result[`median_${key}_ms`]),
      ...Object.fromEntries(percentiles),
      std: numberIn(result[`std_${key}_ms`]),
    });
    if (Object.keys(stats).length > 0) figures.set(tag, { unit: "ms", stats });
  }
  const rows = figuresOf([
    ["request_throughput", "requests/sec", numberIn(result["request_throughput"])],
    ["output_token_throughput", "tokens/sec", numberIn(result["output_throughput"])],
    [
      "total_token_throughput",
      "tokens/sec",
      numberIn(result["total_token_throughput"] ?? result["total_throughput"]),
    ],
    ["goodput", "requests/sec", numberIn(result["request_goodput"] ?? result["request_goodput:"])],
    ["input_token_throughput", "tokens/sec", numberIn(result["input_throughput"])],
    ["total_isl", "tokens", numberIn(result["total_input_tokens"])],
    ["total_osl", "tokens", numberIn(result["total_output_tokens"])],
  ]);
  for (const [tag, figure] of rows) figures.set(tag, figure);
  return figures;
}

/**
 * The requests of a result with lists, or with their latencies alone.
 * @param startsNs where their starts are known
 */
export function benchRequests(
  result: JsonObject,
  startsNs: (latenciesMs: readonly number[]) => readonly number[],
): ForeignRequest[] | undefined {
  const [ttfts, itls, errors] = [result["ttfts"], result["itls"], result["errors"]].map(listIn);
  const known = listIn(result["latencies"]);
  const count = Math.max(ttfts?.length ?? 0, known.length);
  if (count === 0) return undefined;
  const latenciesMs = Array.from({ length: count }, (_, at) => {
    if (typeof known[at] === "number") return (known[at] as number) * 1e3;
    // Without it, a reply ends with its last chunk.
    return listIn(itls?.[at]).map(numberIn)
      .reduce((sum, gap) => sum + gap, numberIn(ttfts?.[at])) * 1e3;
  });
  const starts = startsNs(latenciesMs);
  return latenciesMs.map((latencyMs, at) => {
    const told = String(errors?.[at] ?? "");
    // They leave the latency of a request that failed at zero.
    const error = told === "" && latencyMs === 0 ? "failed" : told;
    const outputTokens = numberIn(listIn(result["output_lens"])[at]);
    // Replies that are no streams have no first token: it stands at zero.
    const ttftMs = (numberIn(ttfts?.[at]) || NaN) * 1e3;
    return {
      startNs: starts[at] as number,
      latencyMs,
      ttftMs,
      itlMs: outputTokens > 1 ? (latencyMs - ttftMs) / (outputTokens - 1) : NaN,
      inputTokens: numberIn(listIn(result["input_lens"])[at]),
      outputTokens,
      gapsMs: Array.isArray(itls?.[at])
        ? listIn(itls[at]).map((gap) => numberIn(gap) * 1e3)
        : undefined,
      error: error === "" ? undefined : error,
    };
  });
}

/** The load by their settings. */
export function benchLoad(result: JsonObject, requests: number): Record<string, string | number> {
  const rate = numberIn(result["request_rate"]);
  const concurrency = numberIn(result["max_concurrency"]);
  return {
    type: Number.isFinite(rate) ? "poisson" : "concurrency",
    ...numbersIn({ requests, concurrency, rate }),
  };
}
