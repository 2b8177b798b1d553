import type { SweepSettings } from "../../config/options/commands/sweep_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";

type Recipe = NonNullable<SweepSettings["searchRecipe"]>;

/** AIPerf's recipes that look for something else than a capacity, and what does that here. */
const OTHERS: ReadonlyMap<Recipe, string> = new Map([
  [
    "concurrency-ramp",
    "It looks for the knee of a fixed ramp, not for a capacity: sweep --concurrency 1,2,4,8,16",
  ],
  [
    "prefill-ttft-curve",
    "It fits a curve of TTFT over prompt lengths: sweep --isl 256,512,1024,2048 --concurrency 1",
  ],
  [
    "decode-itl-curve",
    "It fits a surface of ITL: sweep --concurrency 1,8,64 --osl 64,256,1024",
  ],
  [
    "pareto-sweep",
    "It is a sweep: give lists, as --concurrency 1,4,16 --isl 128,1024; Pareto points are marked",
  ],
  [
    "max-goodput-under-slo",
    "It maximizes goodput, not the load: use --search max-concurrency --goodput with " +
    '--slo "good_request_fraction>=0.95"',
  ],
]);

/** Required objective of each recipe; empty for the recipe that accepts any. */
const REQUIRED: ReadonlyMap<Recipe, readonly (keyof SweepSettings)[]> = new Map([
  ["max-throughput-ttft-sla", ["ttftSlaMs"]],
  ["max-throughput-itl-sla", ["itlSlaMs", "tpotSlaMs"]],
]);

/**
 * The objectives of AIPerf's recipe for a capacity search, as `--slo` takes them.
 * @throws {UsageError} for a recipe that means something else, or one without an objective
 */
export function recipeSlos(settings: SweepSettings): string[] {
  const { searchRecipe: recipe, ttftSlaMs, itlSlaMs, tpotSlaMs, e2eSlaMs, errorRateSla } = settings;
  if (recipe === undefined) return [];
  const other = OTHERS.get(recipe);
  if (other !== undefined) throw new UsageError("--search-recipe", `${recipe}: ${other}`);
  const gap = itlSlaMs ?? tpotSlaMs;
  const slos = [
    ...(ttftSlaMs === undefined ? [] : [`ttft.p95<${ttftSlaMs}ms`]),
    ...(gap === undefined ? [] : [`itl.p95<${gap}ms`]),
    ...(e2eSlaMs === undefined ? [] : [`latency.p99<${e2eSlaMs}ms`]),
    ...(errorRateSla === undefined
      ? []
      // Of 0.07 * 100 nobody wants to see the last digits.
      : [`error_rate<${Number((errorRateSla * 100).toPrecision(12))}%`]),
    ...(settings.searchSla ?? []).flatMap((text) => text.split(",")).map(sloOfSla),
  ];
  const required = REQUIRED.get(recipe) ?? [];
  if (required.length > 0 && !required.some((name) => settings[name] !== undefined)) {
    throw new UsageError(
      "--search-recipe",
      `${recipe} needs ${recipe.includes("ttft") ? "--ttft-sla-ms" : "--itl-sla-ms"}`,
    );
  }
  if (slos.length === 0) {
    throw new UsageError(
      "--search-recipe",
      `${recipe} needs --ttft-sla-ms, --itl-sla-ms, --e2e-sla-ms, --error-rate-sla or --search-sla`,
    );
  }
  return slos;
}

/** AIPerf's words for comparisons. */
const OPERATORS: Readonly<Record<string, string>> = {
  "lt": "<",
  "le": "<=",
  "gt": ">",
  "ge": ">=",
};

/** `ttft:p95:lt:200` as `ttft.p95<200`: both are in the metric's own unit. */
function sloOfSla(text: string): string {
  const [metric = "", statistic = "", word = "", value = ""] = text.trim().split(":");
  const operator = OPERATORS[word.toLowerCase()];
  if (operator === undefined || value === "" || text.trim().split(":").length !== 4) {
    throw new UsageError(
      "--search-sla",
      `Must be metric:statistic:operator:value, as ttft:p95:lt:200: got ${JSON.stringify(text)}`,
    );
  }
  return `${metric}.${statistic}${operator}${value}`;
}
