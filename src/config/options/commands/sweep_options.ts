/** The options of `inferometer profile` that make several runs of one command. */

import { COUNT, IN_FLIGHT, RATE, SECONDS, SEED } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import type { Settings } from "../settings.ts";

const RUNS = "Many runs";
const SEARCH = "Capacity search";

/** A rate that is a number: infinity is no capacity. */
const FINITE_RATE = {
  kind: "rate",
  value: "rate",
  unit: "requests per second",
  min: 0,
  max: RATE.max,
  exclusive: true,
} as const;
/** A pause between runs. */
const PAUSE = { ...SECONDS, max: 86_400, default: 0 } as const;
/** Latency that a recipe must meet. */
const SLA_MS = {
  kind: "number",
  group: SEARCH,
  value: "ms",
  unit: "milliseconds",
  min: 0,
  max: 1_000_000_000,
  exclusive: true,
  needs: ["searchRecipe"],
} as const;

/** Statistics that runs of one plan are compared by. */
const CONVERGENCE_STATS = ["avg", "p50", "p90", "p95", "p99", "min", "max"] as const;

/** The options of several runs, in the order in which help shows them. */
export const SWEEP_OPTIONS = {
  numProfileRuns: {
    ...COUNT,
    group: RUNS,
    help: "Number of runs per point; several runs give confidence intervals",
    unit: "runs",
    max: 100,
    default: 1,
    mistakenFor: ["runs", "repeat", "repeats", "trials"],
    example: "--num-profile-runs 5",
  },
  profileRunCooldownSeconds: {
    ...PAUSE,
    group: RUNS,
    help: "Pause between the runs of a point",
    example: "--num-profile-runs 5 --profile-run-cooldown-seconds 10",
  },
  confidenceLevel: {
    kind: "number",
    group: RUNS,
    help: "Confidence level of the intervals over several runs",
    value: "level",
    min: 0,
    max: 1,
    exclusive: true,
    default: 0.95,
  },
  profileRunDisableWarmupAfterFirst: {
    kind: "flag",
    group: RUNS,
    help: "Warm up only in the first run of a point (default)",
    excludes: ["noProfileRunDisableWarmupAfterFirst"],
    restatesDefault: true,
  },
  noProfileRunDisableWarmupAfterFirst: {
    kind: "flag",
    group: RUNS,
    help: "Warm up in every run",
  },
  setConsistentSeed: {
    kind: "flag",
    group: RUNS,
    help: "Use seed 42 in all runs if none is given, and the prompts of this seed",
    excludes: ["noSetConsistentSeed"],
  },
  noSetConsistentSeed: {
    kind: "flag",
    group: RUNS,
    help: "Draw a new seed for each run if none is given",
  },
  varySeedPerTrial: {
    kind: "flag",
    group: RUNS,
    help: "Use a different seed in each run of a point, so that prompts differ",
    excludes: ["noVarySeedPerTrial"],
  },
  noVarySeedPerTrial: {
    kind: "flag",
    group: RUNS,
    help: "Send identical prompts in every run of a point; the default with --random-seed",
  },
  convergenceMetric: {
    kind: "text",
    group: RUNS,
    help: "Metric that ends the runs of a point early once it has converged",
    value: "metric",
    needs: ["numProfileRuns"],
    example: "--num-profile-runs 10 --convergence-metric time_to_first_token",
  },
  convergenceStat: {
    kind: "text",
    group: RUNS,
    help: "Statistic of the metric in --convergence-metric",
    value: "statistic",
    choices: CONVERGENCE_STATS,
    needs: ["convergenceMetric"],
    default: "avg",
  },
  convergenceThreshold: {
    kind: "number",
    group: RUNS,
    help: "Threshold of the convergence criterion",
    value: "threshold",
    min: 0,
    max: 1,
    exclusive: true,
    needs: ["convergenceMetric"],
    defaultText: "ci-width 0.10, cv 0.05, distribution 0.05",
  },
  convergenceMode: {
    kind: "text",
    group: RUNS,
    help: "Convergence criterion: relative width of the confidence interval, coefficient of " +
      "variation, or distribution test (p-value)",
    value: "mode",
    choices: ["ci-width", "cv", "distribution"],
    needs: ["convergenceMetric"],
    default: "ci-width",
  },
  sweepType: {
    kind: "text",
    group: RUNS,
    help: "Combination of several lists: every value with every other, or first with first",
    value: "type",
    choices: ["grid", "zip"],
    default: "grid",
    example: "--concurrency 1,2,4 --isl 128,1024 --sweep-type grid",
  },
  parameterSweepMode: {
    kind: "text",
    group: RUNS,
    help: "Order of repeated runs: repeat the whole sweep, or repeat each point",
    value: "mode",
    choices: ["repeated", "independent"],
    default: "repeated",
  },
  parameterSweepCooldownSeconds: {
    ...PAUSE,
    group: RUNS,
    help: "Pause between the points of a sweep",
  },
  parameterSweepSameSeed: {
    kind: "flag",
    group: RUNS,
    help: "Use one seed for all points of a sweep, instead of the next seed for each",
    excludes: ["noParameterSweepSameSeed"],
  },
  noParameterSweepSameSeed: {
    kind: "flag",
    group: RUNS,
    help: "Use the next seed for each point of a sweep (default)",
    restatesDefault: true,
  },
  noSweepTable: {
    kind: "flag",
    group: RUNS,
    help: "Do not print the table of all points",
  },
  idleTimeoutSeconds: {
    ...SECONDS,
    group: RUNS,
    help: "Maximum wait between runs until the server reports no running or waiting requests",
    max: 86_400,
    default: 30,
  },
  resume: {
    kind: "text",
    group: RUNS,
    help: "Resume interrupted runs in a folder with their options; finished runs are kept",
    value: "folder",
    completes: "folder",
    inFile: false,
    excludes: ["artifactDir", "overwrite", "keep"],
    example: "--resume artifacts/sweep",
  },
  resetPrefixCache: {
    kind: "flag",
    aliases: ["reset-kv-cache"],
    group: RUNS,
    help: "Reset the server's prefix cache before each run (vLLM, SGLang)",
  },
  resetKvCacheTimeoutSeconds: {
    ...SECONDS,
    aliases: ["reset-prefix-cache-timeout-seconds"],
    group: RUNS,
    help: "Timeout for resetting the prefix cache; implies --reset-prefix-cache",
    exclusive: true,
    max: 86_400,
    defaultText: "30",
  },
  resetKvCachePath: {
    kind: "text",
    aliases: ["reset-prefix-cache-path"],
    group: RUNS,
    help: "Path for resetting the prefix cache; implies --reset-prefix-cache",
    value: "path",
    defaultText: "/reset_prefix_cache, then /flush_cache",
    example: "--reset-kv-cache-path /flush_cache",
  },
  search: {
    kind: "text",
    group: SEARCH,
    help: "Find the highest load (requests, sessions, rate) at which every --slo is met",
    value: "what",
    choices: ["max-concurrency", "max-sessions", "max-request-rate"],
    needs: ["slo"],
    excludes: ["searchRecipe"],
    mistakenFor: ["find-capacity", "capacity", "binary-search"],
    example: '--search max-concurrency --slo "ttft.p99<500ms" "error_rate<1%"',
  },
  searchRecipe: {
    kind: "text",
    group: SEARCH,
    help: "AIPerf name for --search; set objectives with --ttft-sla-ms and similar options",
    value: "name",
    choices: [
      "max-concurrency-under-sla",
      "max-throughput-ttft-sla",
      "max-throughput-itl-sla",
      "concurrency-ramp",
      "prefill-ttft-curve",
      "decode-itl-curve",
      "pareto-sweep",
      "max-goodput-under-slo",
    ],
    example: "--search-recipe max-concurrency-under-sla --ttft-sla-ms 200",
  },
  concurrencyMin: {
    ...IN_FLIGHT,
    group: SEARCH,
    help: "Minimum concurrency of a search",
    needs: ["search", "searchRecipe"],
    default: 1,
  },
  concurrencyMax: {
    ...IN_FLIGHT,
    group: SEARCH,
    help: "Maximum concurrency of a search",
    needs: ["search", "searchRecipe"],
    default: 1000,
  },
  requestRateMin: {
    ...FINITE_RATE,
    group: SEARCH,
    help: "Minimum request rate of a search",
    needs: ["search"],
    default: 1,
  },
  requestRateMax: {
    ...FINITE_RATE,
    group: SEARCH,
    help: "Maximum request rate of a search",
    needs: ["search"],
    default: 10_000,
  },
  searchMaxIterations: {
    ...COUNT,
    group: SEARCH,
    help: "Maximum number of runs of a search",
    unit: "runs",
    max: 200,
    needs: ["search", "searchRecipe"],
    default: 30,
  },
  searchPrecision: {
    kind: "number",
    group: SEARCH,
    help: "Relative precision at which the search stops",
    value: "share",
    min: 0.001,
    max: 1,
    needs: ["search", "searchRecipe"],
    default: 0.05,
  },
  ttftSlaMs: { ...SLA_MS, help: "Limit of TTFT p95 for a search recipe" },
  itlSlaMs: { ...SLA_MS, help: "Limit of ITL p95 for a search recipe" },
  tpotSlaMs: { ...SLA_MS, help: "Alias of --itl-sla-ms", excludes: ["itlSlaMs"] },
  e2eSlaMs: { ...SLA_MS, help: "Limit of request latency p99 for a search recipe" },
  searchSla: {
    kind: "texts",
    group: SEARCH,
    help: "Objective of a search recipe in AIPerf's form, with lt, le, gt or ge; see --slo",
    value: "metric:statistic:operator:value",
    single: true,
    needs: ["searchRecipe"],
    example: "--search-recipe max-concurrency-under-sla --search-sla ttft:p95:lt:200",
  },
  errorRateSla: {
    kind: "number",
    group: SEARCH,
    help: "Maximum fraction of failed requests for a search recipe",
    value: "share",
    min: 0,
    max: 1,
    exclusive: true,
    needs: ["searchRecipe"],
  },
} as const satisfies OptionTable;

/** Seed of several runs where none is given, as in AIPerf. */
export const CONSISTENT_SEED = 42 satisfies number;
/** Largest seed that an option takes. */
export const MAX_SEED: number = SEED.max;

/** The options of several runs, checked, defaults filled in. */
export type SweepSettings = Settings<typeof SWEEP_OPTIONS>;
