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
/** What a recipe keeps a latency under. */
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
    help: "Number of runs of each point; with several, confidence intervals are computed",
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
    help: "Confidence level of the intervals of several runs",
    value: "level",
    min: 0,
    max: 1,
    exclusive: true,
    default: 0.95,
  },
  profileRunDisableWarmupAfterFirst: {
    kind: "flag",
    group: RUNS,
    help: "Warm up in the first run of a point only; this is the default",
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
    help: "Use seed 42 in several runs where none is given, and send the prompts of this seed",
    excludes: ["noSetConsistentSeed"],
  },
  noSetConsistentSeed: {
    kind: "flag",
    group: RUNS,
    help: "Draw a new seed for each run where none is given",
  },
  varySeedPerTrial: {
    kind: "flag",
    group: RUNS,
    help: "Give each run of a point a seed of its own, so that it sends other prompts",
    excludes: ["noVarySeedPerTrial"],
  },
  noVarySeedPerTrial: {
    kind: "flag",
    group: RUNS,
    help: "Send the same prompts in every run of a point; the default with --random-seed",
  },
  convergenceMetric: {
    kind: "text",
    group: RUNS,
    help: "Metric by which the runs of a point end early, when they agree",
    value: "metric",
    needs: ["numProfileRuns"],
    example: "--num-profile-runs 10 --convergence-metric time_to_first_token",
  },
  convergenceStat: {
    kind: "text",
    group: RUNS,
    help: "Its statistic",
    value: "statistic",
    choices: CONVERGENCE_STATS,
    needs: ["convergenceMetric"],
    default: "avg",
  },
  convergenceThreshold: {
    kind: "number",
    group: RUNS,
    help: "What counts as agreement",
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
    help: "How agreement is judged: the interval's width or the standard deviation as a share of " +
      "the mean, or that the last run's requests are spread as those before (p value)",
    value: "mode",
    choices: ["ci-width", "cv", "distribution"],
    needs: ["convergenceMetric"],
    default: "ci-width",
  },
  sweepType: {
    kind: "text",
    group: RUNS,
    help: "How several lists combine: every value with every other, or first with first",
    value: "type",
    choices: ["grid", "zip"],
    default: "grid",
    example: "--concurrency 1,2,4 --isl 128,1024 --sweep-type grid",
  },
  parameterSweepMode: {
    kind: "text",
    group: RUNS,
    help:
      "Order of runs in a sweep: all points and then again, or all runs of a point and then the " +
      "next",
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
    help: "Use the same seed in all points of a sweep, instead of the next one in each",
    excludes: ["noParameterSweepSameSeed"],
  },
  noParameterSweepSameSeed: {
    kind: "flag",
    group: RUNS,
    help: "Use the next seed in each point of a sweep; this is the default",
    restatesDefault: true,
  },
  noSweepTable: {
    kind: "flag",
    group: RUNS,
    help: "Do not show the table of all points",
  },
  idleTimeoutSeconds: {
    ...SECONDS,
    group: RUNS,
    help: "Maximum wait between runs for the server to be idle, by its metrics of running and " +
      "waiting requests",
    max: 86_400,
    default: 30,
  },
  resume: {
    kind: "text",
    group: RUNS,
    help:
      "Continue the interrupted runs of a folder: what is finished is kept, the rest is done; " +
      "options are those of the first time unless given",
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
    help: "Ask the server to forget its prefix cache before each run (vLLM, SGLang)",
  },
  resetKvCacheTimeoutSeconds: {
    ...SECONDS,
    aliases: ["reset-prefix-cache-timeout-seconds"],
    group: RUNS,
    help: "Maximum time of that request; implies --reset-prefix-cache",
    exclusive: true,
    max: 86_400,
    defaultText: "30",
  },
  resetKvCachePath: {
    kind: "text",
    aliases: ["reset-prefix-cache-path"],
    group: RUNS,
    help: "Path of that request; implies --reset-prefix-cache",
    value: "path",
    defaultText: "/reset_prefix_cache, then /flush_cache",
    example: "--reset-kv-cache-path /flush_cache",
  },
  search: {
    kind: "text",
    group: SEARCH,
    help: "Find the highest concurrency or request rate at which every --slo is met",
    value: "what",
    choices: ["max-concurrency", "max-request-rate"],
    needs: ["slo"],
    excludes: ["searchRecipe"],
    mistakenFor: ["find-capacity", "capacity", "binary-search"],
    example: '--search max-concurrency --slo "ttft.p99<500ms" "error_rate<1%"',
  },
  searchRecipe: {
    kind: "text",
    group: SEARCH,
    help: "The same under AIPerf's name, with the objectives as --ttft-sla-ms and its like",
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
    help: "Smallest concurrency of a search",
    needs: ["search", "searchRecipe"],
    default: 1,
  },
  concurrencyMax: {
    ...IN_FLIGHT,
    group: SEARCH,
    help: "Largest concurrency of a search",
    needs: ["search", "searchRecipe"],
    default: 1000,
  },
  requestRateMin: {
    ...FINITE_RATE,
    group: SEARCH,
    help: "Smallest request rate of a search",
    needs: ["search"],
    default: 1,
  },
  requestRateMax: {
    ...FINITE_RATE,
    group: SEARCH,
    help: "Largest request rate of a search",
    needs: ["search"],
    default: 10_000,
  },
  searchMaxIterations: {
    ...COUNT,
    group: SEARCH,
    help: "Largest number of runs of a search",
    unit: "runs",
    max: 200,
    needs: ["search", "searchRecipe"],
    default: 30,
  },
  searchPrecision: {
    kind: "number",
    group: SEARCH,
    help:
      "How close, as a share, the largest value that meets and the smallest that misses must be",
    value: "share",
    min: 0.001,
    max: 1,
    needs: ["search", "searchRecipe"],
    default: 0.05,
  },
  ttftSlaMs: { ...SLA_MS, help: "TTFT p95 of a recipe" },
  itlSlaMs: { ...SLA_MS, help: "ITL p95 of a recipe" },
  tpotSlaMs: { ...SLA_MS, help: "The same as --itl-sla-ms", excludes: ["itlSlaMs"] },
  e2eSlaMs: { ...SLA_MS, help: "Request latency p99 of a recipe" },
  searchSla: {
    kind: "texts",
    group: SEARCH,
    help: "Objective of a recipe, as AIPerf writes it, with lt, le, gt or ge; --slo is the same",
    value: "metric:statistic:operator:value",
    single: true,
    needs: ["searchRecipe"],
    example: "--search-recipe max-concurrency-under-sla --search-sla ttft:p95:lt:200",
  },
  errorRateSla: {
    kind: "number",
    group: SEARCH,
    help: "Share of failed requests of a recipe",
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
