import { distributionOf, type MetricResults, valueOf } from "../metrics/compute_results.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { Summary } from "../statistics/summarize.ts";
import { wholeNumber } from "./number_text.ts";

/**
 * The tokens of a run in sum: by the usage that replies hold, which is the server's own count, and
 * by the client's tokenizer; and how many of the prompts' came out of the server's cache.
 */
export function tokenLines({ results, tokenizer }: ProfileReport): string[] {
  const prompt = distributionOf(results, "usage_prompt_tokens");
  const completion = distributionOf(results, "usage_completion_tokens");
  const counted = sumsText(
    distributionOf(results, "input_sequence_length"),
    distributionOf(results, "output_sequence_length"),
  );
  const told = sumsText(prompt, completion);
  if (told === undefined) {
    return counted === undefined
      ? []
      : [`tokens: ${counted} (${tokenizer}; replies hold no usage)`];
  }
  const replies = valueOf(results, "request_count") ?? 0;
  const holding = (prompt ?? completion)?.count ?? 0;
  const source = holding === replies
    ? "usage in replies"
    : `usage in ${wholeNumber(holding)} of ${wholeNumber(replies)} replies`;
  const own = tokenizer === "server" || counted === undefined ? "" : `; ${counted} (${tokenizer})`;
  return [`tokens: ${told} (${source})${own}`, ...cacheLine(results, prompt)];
}

function cacheLine(results: MetricResults, prompt: Summary | undefined): string[] {
  const cached = distributionOf(results, "usage_prompt_cache_read_tokens");
  const share = valueOf(results, "overall_usage_prompt_cache_read_pct");
  if (cached === undefined || prompt === undefined || share === undefined) return [];
  return [
    `prompt cache: ${wholeNumber(cached.sum)} of ${wholeNumber(prompt.sum)} prompt tokens, ` +
    `a hit rate of ${share.toFixed(1)} %`,
  ];
}

function sumsText(input: Summary | undefined, output: Summary | undefined): string | undefined {
  const sums = [
    ...(input === undefined ? [] : [`${wholeNumber(input.sum)} in`]),
    ...(output === undefined ? [] : [`${wholeNumber(output.sum)} out`]),
  ];
  return sums.length === 0 ? undefined : sums.join(", ");
}
