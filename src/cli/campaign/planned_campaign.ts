/** Options and plan of each of several runs, before any request is sent. */

import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { Machine } from "../../config/plan/load/planned_workers.ts";
import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import { planLike } from "../../config/plan/resolve/plan_like.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { CENSORED_METRICS } from "../../measurement/metrics/session_metrics.ts";
import { searchOption } from "../../report/sweep/search_plan.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { runOptions } from "../../run/campaign/run_options.ts";

/** The options that all runs have; objectives of a search are those that end a run early. */
export function sharedOptions(base: ProfileOptions, { search }: SweepManifest): ProfileOptions {
  if (search === undefined) return base;
  const slos = search.slos.map(({ name, operator, threshold, unit }) =>
    `${name}${operator}${threshold}${unit}`
  );
  return { ...base, slo: slos, abortOnSlo: true };
}

/** Parts of their recorded time that sessions of a search skip, so that prompts are long at once. */
const START_RATIOS = { trajectoryStartMinRatio: 0.25, trajectoryStartMaxRatio: 0.75 };

/**
 * The options of a search for sessions that are recorded ones: they are replayed as often as a level
 * needs, and entered in their middle, unless the user sets where or an objective is on durations.
 */
export function recordedLevels(
  options: ProfileOptions,
  { search }: SweepManifest,
  { dataset }: Pick<RunPlan, "dataset">,
): ProfileOptions {
  if (search?.variable !== "sessions" || !replaysSessions(dataset)) return options;
  const { trajectoryStartMinRatio: min, trajectoryStartMaxRatio: max } = options;
  const entersInMiddle = min === undefined && max === undefined &&
    !search.slos.some(({ metric }) => CENSORED_METRICS.has(metric));
  return { ...options, allowDatasetWrap: true, ...(entersInMiddle ? START_RATIOS : {}) };
}

/** The options of the first run. */
export async function firstOptions(
  options: ProfileOptions,
  manifest: SweepManifest,
): Promise<ProfileOptions> {
  const { search } = manifest;
  const [point] = manifest.points;
  const values = search === undefined
    ? point?.options ?? {}
    : { [searchOption(search.variable)]: search.min };
  const run = {
    point: { index: 0, label: "", folder: "", values: {}, options: values },
    trial: 0,
  };
  const { artifactDir: _, overwrite: __, ...own } = await runOptions(options, manifest, run, "");
  return own;
}

/**
 * The plan of each point's first run.
 * @param first the plan of the first point
 * @throws {UsageError} naming the option that cannot be used, and the point
 */
export async function* pointPlans(
  { first, options, machine }: {
    readonly first: RunPlan;
    readonly options: ProfileOptions;
    readonly machine: Machine;
  },
  manifest: SweepManifest,
): AsyncGenerator<RunPlan> {
  for (const point of manifest.points) {
    const run = await runOptions(options, manifest, { point, trial: 0 }, "");
    try {
      yield planLike(first, { ...run, artifactDir: "artifacts" }, machine);
    } catch (error) {
      if (!(error instanceof UsageError) || point.label === "") throw error;
      throw new UsageError(undefined, `${error.message} (in the point ${point.label})`);
    }
  }
}
