import { saltedDataset } from "../../config/plan/salted_dataset.ts";
import type { DatasetPlan } from "../../config/plan/run_plan.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import type { PlannedRun } from "./run_options.ts";

/** Runs of a point whose prompts differ. */
const TRIALS = 1024;

/**
 * The prompts of a run that no other run of its command sends, unless a seed option asks for that:
 * a server that has a prefix cache would answer the later one from it.
 */
export function runDataset(
  dataset: DatasetPlan,
  { promptSalt, sameSeed }: Pick<SweepManifest, "promptSalt" | "sameSeed">,
  { point, trial }: PlannedRun,
): DatasetPlan {
  if (promptSalt === undefined) return dataset;
  const place = (sameSeed ? 0 : point.index * TRIALS) + (promptSalt.perTrial ? trial : 0);
  return saltedDataset(dataset, promptSalt.number + place);
}
