import { countText, figureText } from "../chart/figure_text.ts";
import type { Summary } from "../statistics/summarize.ts";
import { printableText } from "../ui/printable_text.ts";
import { renderTable } from "../ui/text_table.ts";
import type { CacheResult, TraceAnalysis } from "./trace_analysis.ts";

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
      `${figureText(seconds)} s, ${figureText(time.requests_per_s)} requests/s on average, ` +
        `${figureText(time.peak_requests_per_s)} at the peak (intervals of ${interval} s)`,
    );
  } else lines.push("without times");
  const summaries: [string, Summary, number][] = [];
  if (analysis.input_length !== null) summaries.push(["input tokens", analysis.input_length, 1]);
  if (analysis.output_length !== null) summaries.push(["output tokens", analysis.output_length, 1]);
  if (cache !== null) {
    summaries.push([
      "prefix cache hits (%)",
      cache.infinite_cache.hit_rate_of_requests,
      100,
    ]);
  }
  lines.push(
    table(
      ["of a request", ...STATISTICS],
      summaries.map(([name, summary, scale]) => [
        name,
        ...STATISTICS.map((statistic) => figureText(summary[statistic] * scale)),
      ]),
      width,
    ),
  );
  if (cache === null) {
    lines.push("without hash_ids: what prompts have in common is not known");
    return `${lines.join("\n")}\n`;
  }
  const rows: [string, CacheResult][] = [
    ...cache.caches.map((one): [string, CacheResult] => [
      `${countText(one.size_tokens)} tokens`,
      one,
    ]),
    ["without end", cache.infinite_cache],
  ];
  lines.push(
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
      `${countText(cache.unique_blocks)} different, ${countText(cache.blocks_used_once)} in one ` +
      `prompt alone; one is in ${countText(cache.most_uses_of_a_block)} prompts`,
  );
  return `${lines.join("\n")}\n`;
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const alignments = head.map((_, i) => i === 0 ? "left" as const : "right" as const);
  return renderTable({ head, rows, flexible: 0, minFlexible: 10, alignments }, width);
}
