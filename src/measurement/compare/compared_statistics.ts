/** The statistics that two runs are compared by. */

interface NamedStatistic {
  /** Name as shown. */
  readonly name: string;
  readonly unit: string;
  /** Tag of the metric, as files name it, and the name of the statistic. */
  readonly tag: string;
  readonly statistic: string;
  readonly better: "lower" | "higher";
}

/** A statistic whose interval is from a bootstrap of blocks of requests. */
export type ResampledStatistic =
  & NamedStatistic
  & (
    | { readonly kind: "quantile"; readonly quantile: number }
    /** Something of successful requests, for each second. */
    | { readonly kind: "rate"; readonly of: "requests" | "tokens" }
    /** Cost of the servers for a number of successful requests or of their tokens. */
    | { readonly kind: "cost"; readonly of: "requests" | "tokens"; readonly each: number }
    /** Failed requests among all, in percent; its differences are absolute. */
    | { readonly kind: "errors" }
  );

/** One of them. */
export type ComparedStatistic =
  | ResampledStatistic
  /** A share of answers, in percent; its differences are absolute. */
  | NamedStatistic & { readonly kind: "answers" }
  /** A mean over completed sessions, or a percentage of theirs, whose differences are absolute. */
  | NamedStatistic & { readonly kind: "sessions" | "session_shares" };

/** Whether differences of a statistic are in percentage points, not relative to the value before. */
export function isAbsolute({ kind }: Pick<ComparedStatistic, "kind">): boolean {
  return kind === "errors" || kind === "answers" || kind === "session_shares";
}

/** The statistics that every pair of runs is compared by, in the order in which they are shown. */
export const COMPARED_STATISTICS: readonly ResampledStatistic[] = [
  ...latency("TTFT", "time_to_first_token"),
  ...latency("ITL", "inter_token_latency"),
  ...latency("latency", "request_latency"),
  {
    ...{ name: "requests/s", unit: "", tag: "request_throughput", statistic: "avg" },
    ...{ better: "higher", kind: "rate", of: "requests" },
  },
  {
    ...{ name: "tokens/s out", unit: "", tag: "output_token_throughput", statistic: "avg" },
    ...{ better: "higher", kind: "rate", of: "tokens" },
  },
  {
    ...{ name: "cost/1M out", unit: "", tag: "cost_per_million_output_tokens", statistic: "avg" },
    ...{ better: "lower", kind: "cost", of: "tokens", each: 1e6 },
  },
  {
    ...{ name: "cost/request", unit: "", tag: "cost_per_request", statistic: "avg" },
    ...{ better: "lower", kind: "cost", of: "requests", each: 1 },
  },
  {
    ...{ name: "error rate", unit: "%", tag: "request_error_rate", statistic: "avg" },
    ...{ better: "lower", kind: "errors" },
  },
];

function latency(name: string, tag: string): ResampledStatistic[] {
  return [50, 99].map((p) => ({
    ...{ name: `${name} p${p}`, unit: "ms", tag, statistic: `p${p}` },
    ...{ better: "lower", kind: "quantile", quantile: p / 100 },
  }));
}
