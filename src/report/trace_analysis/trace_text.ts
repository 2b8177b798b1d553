import { countText, figureText } from "../../core/chart/figure_text.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import { printableText } from "../console/printable_text.ts";
import { renderTable } from "../console/text_table.ts";
import type { CacheResult, TraceAnalysis, TracePrefixes, TraceTimes } from "./trace_analysis.ts";

const STATISTICS = ["avg", "min", "p50", "p90", "p99", "max", "std"] as const;

/** A trace as people read it. */
export function traceText(analysis: TraceAnalysis, width: number): string {
  const { file, format, requests, conversations, time, prefix_cache: cache } = analysis;
  const lines = [
    `${printableText(file, Infinity)}: ${format}, ${countText(requests)} ` +
    `request${requests === 1 ? "" : "s"} in ${countText(conversations)} ` +
    `conversation${conversations === 1 ? "" : "s"}`,
  ];
  if (time !== null) {
    const { duration_s: seconds, interval_s: interval } = time;
    lines.push(
      seconds === 0
        ? "all at one time"
        : `${figureText(seconds)} s, ${ratesText(time)} (intervals of ${interval} s)`,
    );
  } else lines.push("without times");
  const { totals } = analysis;
  lines.push(
    requestTable(analysis, width),
    ...(totals === undefined ? [] : sessionLines(totals)),
    ...(cache !== null
      ? cacheLines(cache, width)
      : totals === undefined
      ? ["without hash_ids: what prompts have in common is not known"]
      : []),
  );
  return `${lines.join("\n")}\n`;
}

/** Returns the mean and peak number of requests per second. */
export function ratesText({ requests_per_s: mean, peak_requests_per_s: peak }: TraceTimes): string {
  return `${figureText(mean)} requests/s on average, ${figureText(peak)} at the peak`;
}

/** How long requests are, and how much of their prompts was there before. */
function requestTable(
  { input_length: input, output_length: output, prefix_cache: cache }: TraceAnalysis,
  width: number,
): string {
  const summaries: [string, Summary, number][] = [];
  if (input !== null) summaries.push(["input tokens", input, 1]);
  if (output !== null) summaries.push(["output tokens", output, 1]);
  if (cache !== null) {
    summaries.push([
      "prefix cache hits (%)",
      cache.infinite_cache.hit_rate_of_requests,
      100,
    ]);
  }
  return table(
    ["of a request", ...STATISTICS],
    summaries.map(([name, summary, scale]) => [
      name,
      ...STATISTICS.map((statistic) => figureText(summary[statistic] * scale)),
    ]),
    width,
  );
}

/** Returns lines about agents, gaps and the ideal cache of recorded sessions. */
export function sessionLines(totals: NonNullable<TraceAnalysis["totals"]>): string[] {
  const { tool, user, agent } = totals.gap_ms_by_class;
  const seconds = (ms: number): string => `${figureText(ms / 1000)} s`;
  const counted = (count: number, noun: string): string =>
    `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
  return [
    `${counted(totals.agents, "agent")} in ${counted(totals.sessions, "session")}, depth up to ` +
    `${totals.max_depth}, up to ${counted(totals.peak_parallel_calls_fixed_1000, "call")} of a ` +
    "session in parallel",
    `gaps between calls: ${seconds(tool)} tool time, ${seconds(user)} user time, ` +
    `${seconds(agent)} agent time`,
    `ideal prefix cache: ${figureText(totals.ideal_hit_rate_pct)} % of the input tokens, ` +
    `${figureText(totals.ideal_hit_rate_with_replies_pct)} % with replies; longest context ` +
    `${counted(totals.longest_context_tokens, "token")}; ` +
    `${counted(totals.context_resets, "context reset")}`,
  ];
}

/** Returns the prefix cache hit rates of the prompts for several cache sizes. */
function cacheLines(
  cache: TracePrefixes,
  width: number,
): string[] {
  const rows: [string, CacheResult][] = [
    ...cache.caches.map((one): [string, CacheResult] => [
      `${countText(one.size_tokens)} tokens`,
      one,
    ]),
    ["unlimited", cache.infinite_cache],
  ];
  return [
    table(
      ["prefix cache", "hit rate", "tokens from it"],
      rows.map(([name, { hit_rate: rate, hit_tokens: tokens }]) => [
        name,
        `${figureText(rate * 100)} %`,
        countText(tokens),
      ]),
      width,
    ),
    `${countText(cache.blocks)} blocks of ${cache.block_size} tokens, ` +
    `${countText(cache.unique_blocks)} unique, ${countText(cache.blocks_used_once)} in only one ` +
    `prompt; the most frequent one is in ${countText(cache.most_uses_of_a_block)} prompts`,
  ];
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const alignments = head.map((_, i) => i === 0 ? "left" as const : "right" as const);
  return renderTable({ head, rows, flexible: 0, minFlexible: 10, alignments }, width);
}
