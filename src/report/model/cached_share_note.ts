import type { DatasetPlan, RunPlan } from "../../config/plan/run_plan.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import { cacheHits } from "./cache_hits.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";

/** Difference of shares that needs no note. */
const TOLERANCE = 0.05;
/** Tokens of a chat template that all prompts may begin with: at least, and at most. */
const TEMPLATE_TOKENS = [16, 100] as const;
/** Tokens that a cache of large blocks leaves out of each prefix. */
const BLOCK_TOKENS = 64;

/** Properties of a run on which the note depends. */
export interface CachedRun {
  readonly plan: Pick<RunPlan, "dataset" | "systemPrompt" | "cacheBust" | "phases">;
  readonly results: MetricResults;
  /** undefined where no metrics were collected, or they are of other requests as well. */
  readonly metrics: Pick<ServerMetricsReport, "roles"> | undefined;
}

/** Smallest and largest share of prompt tokens, from 0 to 1. */
type ShareRange = readonly [low: number, high: number];

/**
 * A sentence where servers took another share of the prompt tokens from their caches than the
 * options plan: a search after a sweep of the same prompts measures the cache. Prompts of files may
 * have any beginnings in common, so they have no planned share.
 */
export function cachedShareNote({ plan, results, metrics }: CachedRun): string | undefined {
  const share = reportedShare(results, metrics);
  const planned = plannedShares(plan, results);
  if (share === undefined || planned === undefined) return undefined;
  const [low, high] = planned;
  if (share >= low - TOLERANCE && share <= high + TOLERANCE) return undefined;
  const expected = share < low ? `at least ${percent(low)}` : `at most ${percent(high)}`;
  return `Servers took ${
    percent(share)
  } of the prompt tokens from their caches, where the prompts ` +
    `plan ${expected}: TTFT and throughput are those of this share`;
}

/** The share by server metrics, else by the usage of replies. */
function reportedShare(
  results: MetricResults,
  metrics: CachedRun["metrics"],
): number | undefined {
  const found = cacheHits(metrics?.roles, results);
  if (found !== undefined) return found.hits / found.queries;
  const roles = metrics?.roles;
  const byUsage = valueOf(results, "overall_usage_prompt_cache_read_pct");
  if (byUsage !== undefined && (roles?.pools.length ?? 0) === 0) return byUsage / 100;
  return roles?.figure("prefix_hit_rate", roles.prefilling)?.stats["avg"];
}

function plannedShares(
  { dataset, systemPrompt, cacheBust, phases }: CachedRun["plan"],
  results: MetricResults,
): ShareRange | undefined {
  const isl = distributionOf(results, "input_sequence_length");
  const perPrompt = distributionOf(results, "usage_prompt_tokens")?.avg ?? isl?.avg;
  const requests = valueOf(results, "request_count") ?? 0;
  if (dataset.source === "file" || perPrompt === undefined || requests === 0) return undefined;
  const { turns, prompts = {}, salt, entries } = dataset;
  // The history of a session is planned to be cached, and any part of it may be.
  if (turns !== undefined) return undefined;
  const { prefixes, sharedSystemTokens = 0, textsPerRequest = 1 } = prompts;
  const prefixTokens = (prefixes?.tokens ?? 0) * textsPerRequest;
  // No token has less than a byte.
  const systemBytes = new TextEncoder().encode(systemPrompt ?? "").length;
  const shared = prefixTokens + sharedSystemTokens;
  const { count: lengths, stepTokens } = prefixes?.lengths ?? { count: 1, stepTokens: 0 };
  const longest = shared + (lengths - 1) * stepTokens * textsPerRequest;
  const [least, most] = TEMPLATE_TOKENS;
  const added = perPrompt - (ownTokens(dataset) + shared);
  const high = (longest + systemBytes + Math.min(most, Math.max(least, added))) / perPrompt;
  const load = phases.findLast(({ kind }) => kind === "profiling")?.load;
  const cold = ((prefixes?.count ?? 1) + Math.min(load?.concurrency ?? 1, requests)) / requests;
  const isMarked = cacheBust !== undefined && !cacheBust.startsWith("warmup-");
  const low = isMarked || cold > 0.5
    ? 0
    : Math.max(0, shared - BLOCK_TOKENS) * (1 - cold) / perPrompt;
  // Prompts that are sent again as they are may come from the cache whole.
  return [low, salt === undefined && entries < requests ? 1 : Math.min(1, high)];
}

/** Returns the mean number of tokens that are unique to a prompt; 0 if lengths are a mixture. */
function ownTokens({ inputTokensMean, prompts = {} }: Synthetic): number {
  const { mixture, range, textsPerRequest = 1 } = prompts;
  return mixture === undefined && range === undefined ? inputTokensMean * textsPerRequest : 0;
}

type Synthetic = Extract<DatasetPlan, { source: "synthetic" }>;

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
