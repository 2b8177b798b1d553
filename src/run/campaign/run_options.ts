import { MAX_SEED } from "../../config/options/commands/sweep_options.ts";
import { specsOf } from "../../config/options/option.ts";
import { PROFILE_OPTIONS } from "../../config/options/profile/profile_options.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import type { SearchPlan } from "../../report/sweep/search_plan.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import type { SweepPoint } from "../../report/sweep/sweep_points.ts";

/** Requests of a run of a search, for each one in flight, and at least. */
const SEARCH_REQUESTS_PER_SLOT = 10;
const SEARCH_MIN_REQUESTS = 100;
/** Sessions of a run of a search for sessions, for each one in progress, and at least. */
const SEARCH_SESSIONS_PER_SLOT = 5;
const SEARCH_MIN_SESSIONS = 20;
/** How many times as long a repeated run of a search is. */
const LONGER = 4;
/** Seconds of requests at the rate of a search. */
const SEARCH_SECONDS = 10;

/** A run of a command. */
export interface PlannedRun {
  readonly point: SweepPoint;
  /** From 0. */
  readonly trial: number;
}

/** The options of a run: what varies over what does not. */
export async function runOptions(
  options: ProfileOptions,
  manifest: SweepManifest,
  { point, trial }: PlannedRun,
  artifactDir: string,
): Promise<ProfileOptions> {
  const isWarm = trial > 0 && manifest.disableWarmupAfterFirst;
  const { keep: _, randomSeed: __, ...own } = options;
  const base = isWarm ? withoutWarmup(own) : own;
  const seed = await runSeed(manifest, { point, trial });
  return {
    ...base,
    ...(manifest.search === undefined ? {} : searchLength(base, point, manifest.search)),
    ...point.options,
    artifactDir,
    overwrite: true,
    ...(seed === undefined ? {} : { randomSeed: seed }),
  };
}

/** Options without those of the warm-up, nor those that are about nothing without them. */
function withoutWarmup(options: ProfileOptions): ProfileOptions {
  const left = new Map(
    Object.entries(options).filter(([name, value]) =>
      value !== undefined && !name.startsWith("warmup") && name !== "numWarmupSessions"
    ),
  );
  const specs = specsOf(PROFILE_OPTIONS);
  for (;;) {
    const useless = specs.find(({ name, needs = [] }) =>
      left.has(name) && needs.length > 0 && !needs.some((need) => left.has(need))
    );
    if (useless === undefined) return Object.fromEntries(left) as ProfileOptions;
    left.delete(useless.name);
  }
}

/** Percentiles need requests: how many, where the user does not say; more of them for a repetition. */
function searchLength(
  { requestCount, numSessions, benchmarkDuration }: ProfileOptions,
  { isLonger, options: { concurrency, requestRate } }: SweepPoint,
  { variable }: Pick<SearchPlan, "variable">,
): ProfileOptions {
  const factor = isLonger === true ? LONGER : 1;
  if ((requestCount ?? numSessions ?? benchmarkDuration) !== undefined) {
    const stretched = Object.entries({ requestCount, numSessions, benchmarkDuration }).flatMap(
      ([name, length]) => length === undefined ? [] : [[name, length * factor]],
    );
    return Object.fromEntries(stretched);
  }
  if (variable === "sessions") {
    const level = concurrency as number;
    return {
      numSessions: factor * Math.max(SEARCH_MIN_SESSIONS, SEARCH_SESSIONS_PER_SLOT * level),
    };
  }
  const wanted = concurrency === undefined
    ? SEARCH_SECONDS * (requestRate as number)
    : SEARCH_REQUESTS_PER_SLOT * concurrency;
  return { requestCount: factor * Math.max(SEARCH_MIN_REQUESTS, Math.ceil(wanted)) };
}

/** The seed of a run, the same each time it is asked for; undefined to draw one. */
async function runSeed(
  { seed, sameSeed, varySeedPerTrial }: SweepManifest,
  { point, trial }: PlannedRun,
): Promise<number | undefined> {
  if (seed === undefined) return undefined;
  if (!varySeedPerTrial) return sameSeed ? seed : (seed + point.index) % MAX_SEED;
  const text = `${seed}:${sameSeed ? "" : point.label}:trial:${trial}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  // As much as every reader of the files takes for a whole number.
  return Number(new DataView(digest).getBigUint64(0) >> 12n);
}
