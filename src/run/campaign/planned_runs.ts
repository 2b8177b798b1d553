import { distributionsAgree, valuesAgree } from "../../report/sweep/convergence.ts";
import { nextStep } from "../../report/sweep/capacity_search.ts";
import { requestValues } from "../../report/sweep/request_values.ts";
import { figureOf, isSuccessful } from "../../report/sweep/run_figures.ts";
import { searchOption } from "../../report/sweep/search_plan.ts";
import { readSearchResults } from "../../report/sweep/search_results.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import type { SweepPoint } from "../../report/sweep/sweep_points.ts";
import { readPointRuns } from "../../report/sweep/sweep_results.ts";
import type { PlannedRun } from "./run_options.ts";

/** All runs of a command that is no search, in their order; those that agree early are in it. */
export function plannedRuns({ shape, points }: SweepManifest): PlannedRun[] {
  const trials = Array.from({ length: shape.trials }, (_, trial) => trial);
  return shape.mode === "repeated"
    ? trials.flatMap((trial) => points.map((point) => ({ point, trial })))
    : points.flatMap((point) => trials.map((trial) => ({ point, trial })));
}

/**
 * Whether the runs of a point before this one agree so well that it is not needed. Later ones, which
 * a continued command finds there, do not count: runs are kept that were needed then.
 */
export async function isConverged(
  directory: string,
  manifest: SweepManifest,
  { point, trial }: PlannedRun,
): Promise<boolean> {
  const { convergence: plan, prefix } = manifest;
  if (plan === undefined) return false;
  const made = await readPointRuns(directory, manifest, point);
  const runs = made.filter((run) =>
    run.trial < trial && run.figures !== undefined && isSuccessful(run.figures)
  );
  if (plan.mode === "distribution") {
    return distributionsAgree(
      await Promise.all(
        runs.map(({ folder }) => requestValues(`${directory}/${folder}`, prefix, plan.metric)),
      ),
      plan,
    );
  }
  return valuesAgree(
    runs.flatMap(({ figures }) =>
      figures === undefined ? [] : figureOf(figures, plan.metric, plan.statistic) ?? []
    ),
    plan,
  );
}

/** The next point of a search; undefined when it is over. */
export async function nextSearchPoint(
  directory: string,
  manifest: SweepManifest,
): Promise<SweepPoint | undefined> {
  const { search, points } = manifest;
  if (search === undefined) return undefined;
  const { steps } = await readSearchResults(directory, { ...manifest, search });
  const step = nextStep(search, steps.map(({ run }) => run));
  if (step === undefined) return undefined;
  const { isLonger, value } = step;
  const { variable } = search;
  return {
    index: points.length,
    values: { [variable]: value },
    options: { [searchOption(variable)]: value },
    label: `${variable}=${value}${isLonger ? ", longer" : ""}`,
    ...(isLonger ? { isLonger } : {}),
    folder: `${variable}_${value}`,
  };
}
