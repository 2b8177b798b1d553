import { UsageError } from "../../config/options/usage_error.ts";
import type { NamedSide } from "../../results/collect/open_side.ts";
import type { NamedSweeps } from "../../results/sweeps/sweep_side.ts";
import { manifestIn } from "./campaign_folder.ts";

/**
 * Reads the plans of two sides whose folders are sweeps or searches.
 * @returns undefined if the folders are runs
 * @throws {UsageError} if sweeps are mixed with runs, or there are more than two sides of sweeps
 */
export async function namedSweeps(
  sides: readonly NamedSide[],
): Promise<readonly [NamedSweeps, NamedSweeps] | undefined> {
  const found = await Promise.all(
    sides.map(async ({ directories, label }) => ({
      label,
      folders: await Promise.all(
        directories.map(async (directory) => ({
          directory,
          manifest: await manifestIn(directory, undefined),
        })),
      ),
    })),
  );
  const all = found.flatMap(({ folders }) => folders);
  const isSweep = ({ manifest }: typeof all[number]): boolean =>
    manifest !== undefined && manifest.shape.kind !== "runs";
  if (!all.some(isSweep)) return undefined;
  const run = all.find((folder) => !isSweep(folder));
  if (run !== undefined) {
    throw new UsageError(
      undefined,
      `${run.directory} is not a sweep: compare sweeps with sweeps, or name the folders of single ` +
        "points",
    );
  }
  const [before, after, ...others] = found.map(({ folders, label }): NamedSweeps => ({
    label,
    sweeps: folders.flatMap(({ directory, manifest }) =>
      manifest === undefined ? [] : [{ directory, manifest }]
    ),
  }));
  if (before === undefined || after === undefined || others.length > 0) {
    throw new UsageError(
      "--label",
      `Two sweeps are compared, not ${found.length}: give sweeps of one side the same name`,
    );
  }
  return [before, after];
}
