/** The metrics of a whole run: sums and counts over its requests, and what derives from them. */

import type { Metric, MetricFlag } from "./metric.ts";
import type { RecordMetricTag } from "./record_metrics.ts";

const COUNT: readonly MetricFlag[] = ["NO_INDIVIDUAL_RECORDS", "NO_CONSOLE"];

/** The sum of a record metric over all valid requests. */
export interface TotalMetric<Tag extends string = string> extends Metric<Tag> {
  readonly of: RecordMetricTag;
}

/** Totals, in the order of the metrics reference. */
export const TOTAL_METRICS = [
  total("total_output_tokens", "Total Output Tokens", "output_token_count"),
  total("total_osl", "Total Output Sequence Length", "output_sequence_length"),
  total("total_isl", "Total Input Sequence Length", "input_sequence_length"),
  total("total_reasoning_tokens", "Total Reasoning Tokens", "reasoning_token_count"),
  total("total_usage_prompt_tokens", "Total Usage Prompt Tokens", "usage_prompt_tokens"),
  total(
    "total_usage_completion_tokens",
    "Total Usage Completion Tokens",
    "usage_completion_tokens",
  ),
  total(
    "total_usage_prompt_cache_read_tokens",
    "Total Usage Prompt Cache Read Tokens",
    "usage_prompt_cache_read_tokens",
    ["LARGER_IS_BETTER", "NO_CONSOLE"],
  ),
  total("total_usage_reasoning_tokens", "Total Usage Reasoning Tokens", "usage_reasoning_tokens"),
  total("total_usage_total_tokens", "Total Usage Total Tokens", "usage_total_tokens"),
];

function total<Tag extends string>(
  tag: Tag,
  header: string,
  of: RecordMetricTag,
  flags: readonly MetricFlag[] = ["NO_CONSOLE"],
): TotalMetric<Tag> {
  return { tag, header, unit: "tokens", flags, of };
}

/** Counts of requests and times of the run. */
export const COUNT_METRICS = {
  requestCount: {
    tag: "request_count",
    header: "Request Count",
    unit: "requests",
    flags: ["LARGER_IS_BETTER", "NO_INDIVIDUAL_RECORDS"],
    consoleOrder: 1100,
  },
  errorRequestCount: {
    tag: "error_request_count",
    header: "Error Request Count",
    unit: "requests",
    flags: ["ERROR_ONLY", ...COUNT],
  },
  completedRequestCount: {
    tag: "completed_request_count",
    header: "Completed Requests (Success + Error)",
    unit: "requests",
    flags: COUNT,
  },
  goodRequestCount: {
    tag: "good_request_count",
    header: "Good Request Count",
    unit: "requests",
    flags: ["GOODPUT", "NO_CONSOLE"],
  },
  usageDiscrepancyCount: {
    tag: "usage_discrepancy_count",
    header: "Usage Discrepancy Count",
    unit: "requests",
    flags: ["USAGE_DIFF_ONLY", ...COUNT],
  },
  oslMismatchCount: {
    tag: "osl_mismatch_count",
    header: "OSL Mismatch Count",
    unit: "requests",
    flags: ["PRODUCES_TOKENS_ONLY", ...COUNT],
  },
  totalErrorIsl: {
    tag: "total_error_isl",
    header: "Total Error Input Sequence Length",
    unit: "tokens",
    flags: ["ERROR_ONLY", "TOKENIZES_INPUT_ONLY", ...COUNT],
  },
  minRequestTimestamp: {
    tag: "min_request_timestamp",
    header: "Minimum Request Timestamp",
    unit: "ns",
    flags: COUNT,
  },
  maxResponseTimestamp: {
    tag: "max_response_timestamp",
    header: "Maximum Response Timestamp",
    unit: "ns",
    flags: COUNT,
  },
  benchmarkDuration: {
    tag: "benchmark_duration",
    header: "Benchmark Duration",
    unit: "sec",
    flags: ["NO_CONSOLE"],
  },
} as const satisfies Record<string, Metric>;

/** Shares of the whole run. */
export const SHARE_METRICS = {
  requestErrorRate: {
    tag: "request_error_rate",
    header: "Request Error Rate",
    unit: "%",
    flags: COUNT,
  },
  /** Fraction of all requests, failed ones included. */
  goodRequestFraction: {
    tag: "good_request_fraction",
    header: "GoodRequestFraction",
    unit: "ratio",
    flags: ["GOODPUT", "LARGER_IS_BETTER", "NO_CONSOLE"],
  },
  /**
   * Percentage of all prompt tokens that servers took from their caches, by the reported usage.
   */
  promptCacheReadPct: {
    tag: "overall_usage_prompt_cache_read_pct",
    header: "Overall Usage Prompt Cache Read %",
    unit: "%",
    flags: ["LARGER_IS_BETTER", "NO_CONSOLE"],
  },
} as const satisfies Record<string, Metric>;

/** Rates over the benchmark's duration, and the rate at which users receive tokens. */
export const RATE_METRICS = {
  /**
   * Tokens after the first chunks of all requests divided by the time in which they came. The mean of
   * each request's rate follows the few requests whose chunks came almost at once.
   */
  interactivity: {
    tag: "interactivity",
    header: "Output Tokens/s/User (pooled)",
    unit: "tokens/sec/user",
    flags: ["STREAMING_ONLY", "PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 500,
  },
  outputTokenThroughput: {
    tag: "output_token_throughput",
    header: "Output Token Throughput",
    unit: "tokens/sec",
    flags: ["PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 800,
  },
  inputTokenThroughput: {
    tag: "input_token_throughput",
    header: "Input Token Throughput",
    unit: "tokens/sec",
    flags: ["TOKENIZES_INPUT_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
  },
  totalTokenThroughput: {
    tag: "total_token_throughput",
    header: "Total Token Throughput",
    unit: "tokens/sec",
    flags: ["PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
  },
  tokensPerGpu: {
    tag: "tokens_per_gpu",
    header: "Output Token Throughput Per GPU",
    unit: "tokens/sec/gpu",
    flags: ["PRODUCES_TOKENS_ONLY", "PER_GPU_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 850,
  },
  requestThroughput: {
    tag: "request_throughput",
    header: "Request Throughput",
    unit: "requests/sec",
    flags: ["LARGER_IS_BETTER"],
    consoleOrder: 900,
  },
  goodput: {
    tag: "goodput",
    header: "Goodput",
    unit: "requests/sec",
    flags: ["GOODPUT", "LARGER_IS_BETTER"],
    consoleOrder: 1000,
  },
} as const satisfies Record<string, Metric>;

/**
 * Cost of the servers by `--cost-per-hour`: that price times the benchmark's duration, divided by
 * the amount of output. Each metric divides the whole price, so they do not add up.
 */
export const COST_METRICS = {
  outputTokenCost: {
    tag: "cost_per_million_output_tokens",
    header: "Cost per Million Output Tokens",
    unit: "currency/1M tokens",
    flags: ["COST_ONLY", "PRODUCES_TOKENS_ONLY"],
    consoleOrder: 1010,
  },
  inputTokenCost: {
    tag: "cost_per_million_input_tokens",
    header: "Cost per Million Input Tokens",
    unit: "currency/1M tokens",
    flags: ["COST_ONLY", "TOKENIZES_INPUT_ONLY"],
    consoleOrder: 1020,
  },
  totalTokenCost: {
    tag: "cost_per_million_tokens",
    header: "Cost per Million Tokens",
    unit: "currency/1M tokens",
    flags: ["COST_ONLY", "PRODUCES_TOKENS_ONLY", "TOKENIZES_INPUT_ONLY"],
    consoleOrder: 1030,
  },
  requestCost: {
    tag: "cost_per_request",
    header: "Cost per Request",
    unit: "currency/request",
    flags: ["COST_ONLY"],
    consoleOrder: 1040,
  },
  goodRequestCost: {
    tag: "cost_per_good_request",
    header: "Cost per Good Request",
    unit: "currency/request",
    flags: ["COST_ONLY", "GOODPUT"],
    consoleOrder: 1050,
  },
  totalCost: {
    tag: "total_cost",
    header: "Total Cost",
    unit: "currency",
    flags: ["COST_ONLY", "NO_CONSOLE"],
  },
} as const satisfies Record<string, Metric>;
