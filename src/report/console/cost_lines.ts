import { type MetricResults, valueOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { wrapText } from "./wrap_text.ts";

const LABEL = "cost".padEnd(12);
const NO_BREAK = "\u00a0";

const COSTS: readonly (readonly [tag: MetricTag, name: string])[] = [
  ["cost_per_million_output_tokens", "1M tokens out"],
  ["cost_per_million_input_tokens", "1M tokens in"],
  ["cost_per_million_tokens", "1M tokens"],
  ["cost_per_request", "request"],
  ["cost_per_good_request", "good request"],
];

/**
 * Returns the cost of the servers per token and request, in the user's currency; empty without a
 * price.
 */
export function costLines(results: MetricResults, width: number): string[] {
  const parts = COSTS.flatMap(([tag, name]) => {
    const value = valueOf(results, tag);
    return value === undefined ? [] : [`${costText(value)} / ${name}`];
  });
  if (parts.length === 0) return [];
  // Blanks within a part do not break it.
  const kept = parts.map((part) => part.replaceAll(" ", NO_BREAK)).join(", ");
  return wrapText(`${LABEL} ${kept}`, width, LABEL.length + 1)
    .map((line) => line.replaceAll(NO_BREAK, " "));
}

/** A price in three digits, however small. */
export function costText(value: number): string {
  return value >= 1e6 || value < 1e-4
    ? value.toExponential(2)
    : String(Number(value.toPrecision(3)));
}
