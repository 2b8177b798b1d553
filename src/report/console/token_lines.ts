import type { Summary } from "../../core/statistics/summarize.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { isOfPair } from "../model/server_truth.ts";
import type { TokenSource } from "../model/token_source.ts";
import { countText, wholeNumber } from "./number_text.ts";

/** Tokens of prompts, and of outputs; undefined where they were not counted. */
interface TokenCounts {
  readonly input: Summary | undefined;
  readonly output: Summary | undefined;
}

/**
 * The tokens of a run in sum: by the usage that replies hold, which is the server's own count, and
 * by the client's tokenizer; and how many of the prompts' came out of the server's cache.
 */
export function tokenLines(report: ProfileReport): string[] {
  const { results, tokenizer, tokenSource } = report;
  const counted = sumsText(countedTokens(results));
  const reported = sumsText(usageTokens(results));
  if (reported === undefined) {
    return counted === undefined
      ? []
      : [`tokens: ${counted} (${tokenizer}; replies hold no usage)`];
  }
  const own = isReported(tokenizer, tokenSource) || counted === undefined
    ? ""
    : `; ${counted} (${counterName(tokenizer, tokenSource)})`;
  return [`tokens: ${reported} (${usageSource(results)})${own}`, ...cacheLine(report)];
}

/** Returns tokens as means per request, the client's own count only if it differs. */
export function meanTokenLines(report: ProfileReport): string[] {
  const { results, tokenizer, tokenSource } = report;
  const counted = meansText(countedTokens(results));
  const reported = meansText(usageTokens(results));
  if (reported === undefined) {
    return counted === undefined
      ? []
      : [`tokens: ${counted} a request (${tokenizer}; replies hold no usage)`];
  }
  const own = isReported(tokenizer, tokenSource) || counted === undefined || counted === reported
    ? ""
    : `; ${counted} by ${counterName(tokenizer, tokenSource)}`;
  return [
    `tokens: ${reported} a request (${usageSource(results)})${own}`,
    ...cacheLine(report),
  ];
}

/** Whether the client's metrics use only the tokens of the usage. */
function isReported(tokenizer: string, source: TokenSource | undefined): boolean {
  return tokenizer === "server" || (source?.input === "usage" && source.output === "usage");
}

/** Returns the name of the counter if the client's counts are not those of the usage. */
function counterName(tokenizer: string, source: TokenSource | undefined): string {
  const isMixed = source !== undefined && source.input !== source.output ||
    source?.output === "usage and tokenizer";
  return isMixed ? `usage, else ${tokenizer}` : tokenizer;
}

function usageTokens(results: MetricResults): TokenCounts {
  return {
    input: distributionOf(results, "usage_prompt_tokens"),
    output: distributionOf(results, "usage_completion_tokens"),
  };
}

function countedTokens(results: MetricResults): TokenCounts {
  return {
    input: distributionOf(results, "input_sequence_length"),
    output: distributionOf(results, "output_sequence_length"),
  };
}

function usageSource(results: MetricResults): string {
  const { input, output } = usageTokens(results);
  const replies = valueOf(results, "request_count") ?? 0;
  const holding = (input ?? output)?.count ?? 0;
  return holding === replies
    ? "usage in replies"
    : `usage in ${wholeNumber(holding)} of ${wholeNumber(replies)} replies`;
}

/**
 * Cached tokens by usage in replies: of a prefill/decode pair, these are tokens that the instance that
 * replied did not compute, be they cached or transferred.
 */
function cacheLine({ results, serverTruth }: ProfileReport): string[] {
  const prompt = usageTokens(results).input;
  const cached = distributionOf(results, "usage_prompt_cache_read_tokens");
  const share = valueOf(results, "overall_usage_prompt_cache_read_pct");
  if (cached === undefined || prompt === undefined || share === undefined) return [];
  if (serverTruth !== undefined && isOfPair(serverTruth)) {
    return cached.sum === 0 ? [] : [
      `prompt tokens that decode instances did not compute: ${wholeNumber(cached.sum)} of ` +
      `${wholeNumber(prompt.sum)}, cached or transferred`,
    ];
  }
  const { source, hit_rate: hitRate } = serverTruth?.cache.values ?? {};
  if (hitRate === null && (source === "replies" || source === "engines")) {
    return [
      `prompt tokens that servers did not compute: ${wholeNumber(cached.sum)} of ` +
      `${wholeNumber(prompt.sum)} by replies, ` +
      (source === "replies"
        ? "cached before the run or transferred"
        : "which is not what the servers count"),
    ];
  }
  return [
    `prompt cache: ${wholeNumber(cached.sum)} of ${wholeNumber(prompt.sum)} prompt tokens, ` +
    `a hit rate of ${share.toFixed(1)} %`,
  ];
}

function sumsText(tokens: TokenCounts): string | undefined {
  return countsText(tokens, ({ sum }) => wholeNumber(sum));
}

function meansText(tokens: TokenCounts): string | undefined {
  return countsText(tokens, ({ avg }) => countText(avg));
}

function countsText(
  { input, output }: TokenCounts,
  textOf: (counts: Summary) => string,
): string | undefined {
  const texts = [
    ...(input === undefined ? [] : [`${textOf(input)} in`]),
    ...(output === undefined ? [] : [`${textOf(output)} out`]),
  ];
  return texts.length === 0 ? undefined : texts.join(", ");
}
