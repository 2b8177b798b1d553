import { parseGpuCounts } from "../../config/plan/gpu_counts.ts";
import { parseFigureName, parseSlos } from "../../config/gate/slo.ts";
import { flagOf, type OptionSpec, specsOf } from "../../config/options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import type { GivenOptions } from "../../config/options/settings.ts";
import {
  CONSISTENT_SEED,
  type SweepSettings,
} from "../../config/options/commands/sweep_options.ts";
import { type SweptOption, sweptOptions } from "../../config/options/swept_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { redactedOption } from "../../core/secrets/redacted_option.ts";
import { CONVERGENCE_THRESHOLDS, type ConvergencePlan } from "../../report/sweep/convergence.ts";
import type { SearchPlan } from "../../report/sweep/search_plan.ts";
import { recipeSlos } from "../../report/sweep/search_recipe.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { sweepPoints } from "../../report/sweep/sweep_points.ts";

/** Options of `inferometer profile` as they are given. */
export type CommandOptions = GivenOptions<typeof PROFILE_COMMAND_OPTIONS>;

/** Options that say nothing about what is measured. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  ...["artifactDir", "overwrite", "keep", "resume", "config", "ui", "console", "noSweepTable"],
  ...["quiet", "json", "dryRun", "printDenoFlags", "verbose", "logLevel"],
]);

/**
 * Plan of a command of several runs.
 * @param given all its options, lists included
 * @param command the command line as it may be shown
 * @throws {UsageError} if options do not fit together
 */
export function campaignManifest(
  given: CommandOptions,
  settings: SweepSettings,
  command: string,
): SweepManifest {
  const { base, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const search = searchPlan(base, settings, swept);
  if (settings.confidenceLevel === 1) {
    throw new UsageError("--confidence-level", "Must be below 1: nothing is certain");
  }
  if (base.inputFile === "-" || base.inputFile === "/dev/stdin") {
    throw new UsageError("--input-file", "Standard input can be read once only: name a file");
  }
  const seed = base.randomSeed ?? (settings.noSetConsistentSeed ? undefined : CONSISTENT_SEED);
  const { options, secretOptions } = storedOptions(given);
  return {
    product: USER_AGENT,
    shape: {
      kind: search !== undefined ? "search" : swept.length > 0 ? "sweep" : "runs",
      trials: settings.numProfileRuns,
      mode: settings.parameterSweepMode,
    },
    sweepType: settings.sweepType,
    points: search === undefined ? sweepPoints(swept, settings.sweepType) : [],
    confidenceLevel: settings.confidenceLevel,
    cooldownSeconds: settings.profileRunCooldownSeconds,
    pointCooldownSeconds: settings.parameterSweepCooldownSeconds,
    disableWarmupAfterFirst: !settings.noProfileRunDisableWarmupAfterFirst,
    sameSeed: settings.parameterSweepSameSeed,
    varySeedPerTrial: settings.varySeedPerTrial,
    convergence: convergencePlan(base, settings),
    search,
    seed,
    promptSalt: promptSalt(base),
    prefix: base.profileExportPrefix,
    command,
    options,
    secretOptions,
    notes: queueNotes(search, base.concurrency),
    isComplete: false,
  };
}

/** A random number for the prompts, unless an option asks for those of a seed. */
function promptSalt(
  { randomSeed, setConsistentSeed, noVarySeedPerTrial }: Pick<
    CommandOptions,
    "randomSeed" | "setConsistentSeed" | "noVarySeedPerTrial"
  >,
): SweepManifest["promptSalt"] {
  if (randomSeed !== undefined || setConsistentSeed === true) return undefined;
  return { number: Math.floor(Math.random() * 2 ** 31), perTrial: noVarySeedPerTrial !== true };
}

/** Metrics with the time that arrivals wait for a slot. */
const QUEUE_METRICS: ReadonlySet<string> = new Set([
  ...["queue_wait", "effective_time_to_first_token", "effective_latency"],
]);

/** Notes for a search for a rate where a limit queues arrivals and no objective counts that wait. */
function queueNotes(search: SearchPlan | undefined, limit: number | undefined): string[] {
  if (search?.variable !== "request_rate" || limit === undefined) return [];
  if (search.slos.some(({ metric }) => QUEUE_METRICS.has(metric))) return [];
  return [
    `Arrivals wait for one of the ${limit} slots of --concurrency, which no objective counts: give ` +
    "one of effective_time_to_first_token, effective_latency or queue_wait, too",
  ];
}

/** Whether two commands measure the same. */
export function isSameCampaign(a: SweepManifest, b: SweepManifest): boolean {
  const essence = ({ shape, sweepType, points, options, search }: SweepManifest): string =>
    JSON.stringify([
      shape,
      sweepType,
      // Those of a search come as it goes.
      shape.kind === "search" ? [] : points,
      search,
      Object.entries(options).sort(([x], [y]) => x < y ? -1 : 1),
    ]);
  return essence(a) === essence(b);
}

/**
 * The options of an interrupted command, and over them those that are given now.
 * @throws {UsageError} if one is missing that was not kept, because it holds a secret
 */
export function resumedOptions(earlier: SweepManifest, given: CommandOptions): CommandOptions {
  for (const name of earlier.secretOptions) {
    if (Object.hasOwn(given, name)) continue;
    throw new UsageError(
      flagOf(name),
      "Was given the first time and is not kept, because it holds a secret: give it again",
    );
  }
  return { ...earlier.options, ...given } as CommandOptions;
}

/** Options as a file may hold them: those with a secret in them are left out, and named. */
function storedOptions(
  given: CommandOptions,
): Pick<SweepManifest, "options" | "secretOptions"> {
  const options: Record<string, unknown> = {};
  const secretOptions: string[] = [];
  for (const spec of specsOf(PROFILE_COMMAND_OPTIONS)) {
    const value: unknown = given[spec.name as keyof CommandOptions];
    if (value === undefined || INCIDENTAL.has(spec.name)) continue;
    if (holdsSecret(spec, value)) secretOptions.push(spec.name);
    else options[spec.name] = value;
  }
  return { options, secretOptions };
}

function holdsSecret({ secret }: OptionSpec, value: unknown): boolean {
  if (secret === undefined) return false;
  const texts = Array.isArray(value) ? value : [value];
  return texts.some((text) => redactedOption(secret, String(text)) !== String(text));
}

function convergencePlan(
  { exportLevel }: Pick<CommandOptions, "exportLevel">,
  settings: SweepSettings,
): ConvergencePlan | undefined {
  const { convergenceMetric: metric, convergenceStat: statistic, convergenceMode: mode } = settings;
  if (metric === undefined) return undefined;
  const flag = "--convergence-metric";
  if (settings.numProfileRuns < 2) throw new UsageError(flag, "Needs --num-profile-runs above 1");
  if (mode === "distribution" && exportLevel === "summary") {
    throw new UsageError("--convergence-mode", "distribution needs --export-level records or raw");
  }
  return {
    metric: metricOf(metric, flag),
    statistic,
    mode,
    threshold: settings.convergenceThreshold ?? CONVERGENCE_THRESHOLDS[mode],
    level: settings.confidenceLevel,
  };
}

/** The tag of a metric by any of its names. */
function metricOf(name: string, flag: string): string {
  const { source, metric } = parseFigureName(name, flag);
  if (source === "gpu") {
    throw new UsageError(
      flag,
      `Takes a metric of requests or servers: got ${JSON.stringify(name)}`,
    );
  }
  return source === "truth" ? metric.replace(".", "_") : metric;
}

function searchPlan(
  given: {
    readonly slo?: readonly string[] | undefined;
    readonly concurrency?: number;
    readonly requestRate?: number;
    readonly requestCount?: number | undefined;
    readonly numSessions?: number | undefined;
    readonly gpus?: readonly string[] | undefined;
  },
  settings: SweepSettings,
  swept: readonly SweptOption[],
): SearchPlan | undefined {
  const { search, searchRecipe } = settings;
  if (search === undefined && searchRecipe === undefined) return undefined;
  const flag = search === undefined ? "--search-recipe" : "--search";
  const slos = parseSlos([...given.slo ?? [], ...recipeSlos(settings)]);
  if (slos.length === 0) throw new UsageError(flag, "Requires --slo, the objectives to meet");
  const isRate = search === "max-request-rate";
  const varied = isRate ? given.requestRate : given.concurrency;
  if (varied !== undefined) {
    throw new UsageError(
      isRate ? "--request-rate" : "--concurrency",
      `Is what the search varies: give ${
        isRate ? "--request-rate-min and -max" : "--concurrency-min and -max"
      }`,
    );
  }
  const [other] = swept;
  if (other !== undefined) {
    throw new UsageError(flagOf(other.option), `Takes one value in a search: got ${other.values}`);
  }
  if (settings.numProfileRuns > 1) {
    throw new UsageError("--num-profile-runs", "A search repeats the runs that matter itself");
  }
  // No more can be in flight than a run has.
  const most = Math.min(given.requestCount ?? Infinity, given.numSessions ?? Infinity);
  const [min, max] = isRate
    ? [settings.requestRateMin, settings.requestRateMax]
    : [settings.concurrencyMin, Math.min(settings.concurrencyMax, most)];
  if (!isRate && min >= most) {
    throw new UsageError(
      most === given.requestCount ? "--request-count" : "--num-sessions",
      `Must be above the smallest concurrency of the search, ${min}: got ${most}`,
    );
  }
  if (min >= max) {
    throw new UsageError(
      isRate ? "--request-rate-max" : "--concurrency-max",
      `Must be above the smallest value, ${min}: got ${max}`,
    );
  }
  return {
    variable: isRate ? "request_rate" : search === "max-sessions" ? "sessions" : "concurrency",
    slos,
    min,
    max,
    precision: settings.searchPrecision,
    maxRuns: settings.searchMaxIterations,
    gpus: parseGpuCounts(given.gpus)?.total,
  };
}
