import { type PointResults, pointResults, type PointRun } from "./point_results.ts";
import { readRunFigures } from "./run_figures.ts";
import { runFolder } from "./sweep_layout.ts";
import type { SweepManifest } from "./sweep_manifest.ts";
import type { SweepPoint } from "./sweep_points.ts";

/** Command of several runs, read from its folder. */
export interface SweepResults {
  readonly manifest: SweepManifest;
  /** In their order; those without a run yet included. */
  readonly points: readonly PointResults[];
}

/**
 * Reads the runs of a command from its folder. A run counts once its summary is there; runs that
 * were not needed, or not made yet, are left out.
 * @param directory the command's folder
 */
export async function readSweepResults(
  directory: string,
  manifest: SweepManifest,
): Promise<SweepResults> {
  const points = await Promise.all(manifest.points.map(async (point) => {
    const runs = await readPointRuns(directory, manifest, point);
    return pointResults({ point, runs }, manifest.confidenceLevel);
  }));
  return { manifest, points };
}

/** Returns the name of the model under test, also if no request succeeded; empty without a run. */
export function sweptModel({ points }: SweepResults): string {
  return points.flatMap(({ runs }) => runs.flatMap(({ figures }) => figures ?? []))[0]?.model ?? "";
}

/** GPUs behind the servers of every point; undefined if they are not stated, or differ. */
export function sweptGpus({ points }: SweepResults): number | undefined {
  const counts = new Set(points.flatMap(({ successful }) => successful.map(({ gpus }) => gpus)));
  const [only] = counts;
  return counts.size === 1 ? only : undefined;
}

/** The runs of a point that have been made, in their order. */
export async function readPointRuns(
  directory: string,
  { shape, prefix }: SweepManifest,
  point: SweepPoint,
): Promise<PointRun[]> {
  const runs = await Promise.all(Array.from({ length: shape.trials }, async (_, trial) => {
    const folder = runFolder(shape, point, trial);
    return { folder, trial, figures: await readRunFigures(`${directory}/${folder}`, prefix) };
  }));
  return runs.filter(({ figures }) => figures !== undefined);
}
