import { SUMMARY_PERCENTILES } from "../../core/statistics/summarize.ts";
import { nearest } from "../options/nearest.ts";

/** A series of a server's metric with its statistics. */
export interface ServerFigures {
  readonly name: string;
  readonly unit: string | null;
  readonly stats: Readonly<Record<string, number>>;
  /** Between which values an estimate certainly lies, by its name; missing where nothing is known. */
  readonly bounds?: Readonly<Record<string, readonly [lower: number, upper: number]>>;
  /** Which series it is, where there are several. */
  readonly series: string;
}

/** The statistics that some type of server metric has; percentiles of histograms are estimates. */
export const SERVER_STATISTICS: readonly string[] = [
  ...["avg", "min", "max", "std", "total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"],
  ...["count", "sum", "count_rate", "sum_rate"],
  ...SUMMARY_PERCENTILES.flatMap((p) => [`p${p}`, `p${p}_estimate`]),
];

/** What different servers call the same thing, by a name for all of them. */
export const COMMON_NAMES: Readonly<Record<string, readonly string[]>> = {
  "kv_cache_usage": [
    "vllm:kv_cache_usage_perc",
    "vllm:gpu_cache_usage_perc",
    "sglang:token_usage",
    "trtllm_kv_cache_utilization",
    "dynamo_component_gpu_cache_usage_percent",
    "llamacpp:kv_cache_usage_ratio",
  ],
  "running": [
    "vllm:num_requests_running",
    "sglang:num_running_reqs",
    "trtllm_num_requests_running",
    "dynamo_frontend_inflight_requests",
    "llamacpp:requests_processing",
  ],
  "waiting": [
    "vllm:num_requests_waiting",
    "sglang:num_queue_reqs",
    "trtllm_num_requests_waiting",
    "dynamo_frontend_queued_requests",
    "llamacpp:requests_deferred",
  ],
};

/** The series that a name means, and what to say if there are none. */
export function seriesNamed(
  name: string,
  all: readonly ServerFigures[],
): { readonly series: readonly ServerFigures[]; readonly missing: string } {
  const names = [...new Set(all.map((figures) => figures.name))];
  const wanted = new Set(namesMeant(name, names));
  const guess = nearestServerName(name, names);
  return {
    series: all.filter((figures) => wanted.has(figures.name)),
    missing: all.length === 0
      ? "no server reported any metric"
      : `no server reports "${name}"` + (guess === undefined ? "" : `, did you mean "${guess}"?`),
  };
}

/** The metric that a misspelt name most likely meant; undefined if none is near. */
export function nearestServerName(name: string, names: readonly string[]): string | undefined {
  return nearest(name, [...names.flatMap(spellings), ...Object.keys(COMMON_NAMES)]);
}

/** The name itself; else what it is called with a server's prefix, a counter's ending, or both. */
export function namesMeant(name: string, names: readonly string[]): readonly string[] {
  if (names.includes(name)) return [name];
  const lower = name.toLowerCase();
  const common = (COMMON_NAMES[lower] ?? []).filter((other) => names.includes(other));
  if (common.length > 0) return common;
  return names.filter((other) => spellings(other).includes(lower.replace(/_total$/, "")));
}

/** How a metric may be called: in full, and without the server's prefix. */
function spellings(name: string): string[] {
  const lower = name.toLowerCase().replace(/_total$/, "");
  const colon = lower.indexOf(":");
  const bare = lower.replace(/^(vllm|sglang|trtllm|dynamo|nv|llamacpp)_/, "");
  return [lower, ...(colon >= 0 ? [lower.slice(colon + 1)] : bare === lower ? [] : [bare])];
}

/** A statistic of a series; percentiles of a histogram are its estimates. */
export function serverStatistic(
  { stats }: ServerFigures,
  statistic: string,
): number | undefined {
  return stats[statistic] ?? stats[`${statistic}_estimate`];
}
