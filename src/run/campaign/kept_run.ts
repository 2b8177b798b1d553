import type { RunPlan } from "../../config/plan/run_plan.ts";
import { foundNoServer, isSuccessful, readRunFigures } from "../../report/sweep/run_figures.ts";
import { RUN_FILES } from "../../results/collect/run_files.ts";
import { planHash, readManifest } from "../../results/collect/run_manifest.ts";

/**
 * Whether a run need not be made again: its folder holds the results of the very plan, to its end.
 * @param hasSeed whether the plan's seed was given and not drawn
 */
export async function isKept(
  folder: string,
  plan: RunPlan,
  hasSeed: boolean,
): Promise<boolean> {
  const figures = await readRunFigures(folder, plan.output.prefix);
  if (figures === undefined || !isSuccessful(figures)) return false;
  // The half of a run whose server went away is no whole one.
  if (foundNoServer(figures)) return false;
  const text = await Deno.readTextFile(`${folder}/${RUN_FILES.manifest}`).catch(() => undefined);
  // Without records nothing says what was sent; the folder's name has to do.
  if (text === undefined) return true;
  const manifest = readManifest(text);
  const { seed } = hasSeed ? plan : manifest.facts.plan;
  return manifest.summary !== undefined && manifest.planHash === await planHash({ ...plan, seed });
}
