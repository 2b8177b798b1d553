import type { RunPlan } from "../../config/plan/run_plan.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";

/** Origin of token counts: the server, in the usage of replies, or the client's tokenizer. */
export type TokenOrigin = "usage" | "tokenizer" | "usage and tokenizer";

/** Origin of the tokens of prompts (ISL) and of outputs (OSL, throughput, ITL). */
export interface TokenSource {
  readonly input: TokenOrigin;
  readonly output: TokenOrigin;
}

/** Returns the origin of the token counts of a run's valid requests. */
export function tokenSource(
  results: MetricResults,
  { useServerTokenCount, prefersUsage }: Pick<RunPlan, "useServerTokenCount" | "prefersUsage">,
): TokenSource {
  const requests = valueOf(results, "request_count") ?? 0;
  const originOf = (tag: "usage_prompt_tokens" | "usage_completion_tokens"): TokenOrigin => {
    if (useServerTokenCount) return "usage";
    const holding = prefersUsage === true ? distributionOf(results, tag)?.count ?? 0 : 0;
    if (holding === 0) return "tokenizer";
    return holding < requests ? "usage and tokenizer" : "usage";
  };
  return {
    input: originOf("usage_prompt_tokens"),
    output: originOf("usage_completion_tokens"),
  };
}

/** The source as text: `usage in replies; tokenizer builtin where they hold none`. */
export function tokenSourceText({ input, output }: TokenSource, tokenizer: string): string {
  if (input === "tokenizer" && output === "tokenizer") return tokenizer;
  if (input === "usage" && output === "usage") return "usage in replies";
  return `usage in replies, ${tokenizer} where they hold none`;
}
