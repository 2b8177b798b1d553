import { isLoad } from "../../report/sweep/load_parameters.ts";
import { isSuccessful } from "../../report/sweep/run_figures.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { readSweepResults } from "../../report/sweep/sweep_results.ts";
import type { PointSettings } from "../../measurement/compare/sweep_comparison.ts";
import { RunFolderError } from "../collect/run_folder.ts";
import type { StoredRun } from "../collect/stored_run.ts";

/** A folder of a sweep, and its plan. */
export interface SweepFolder {
  readonly directory: string;
  readonly manifest: SweepManifest;
}

/** One or several sweeps of the same thing. */
export interface NamedSweeps {
  readonly label: string;
  readonly sweeps: readonly SweepFolder[];
}

/** A point of a side: runs of all its sweeps with the same settings. */
export interface SidePointRuns {
  readonly settings: PointSettings;
  /** Folders of the runs that count. */
  readonly folders: readonly string[];
  /** GPUs behind the servers of each run; undefined if they are not stated. */
  readonly gpus: readonly (number | undefined)[];
}

/** A run without what only its own page needs. */
export type SlimRun = Omit<StoredRun, "timeline" | "judged">;

/** A point of a side whose runs are opened. */
export interface OpenedPoint extends SidePointRuns {
  readonly runs: readonly SlimRun[];
}

/** Parameters that any sweep varies, by their names, and the options behind them. */
export type SweptNames = ReadonlyMap<string, string>;

/** Collects the parameters that any of some sweeps varies, in the order of their names. */
export function sweptNames(sides: readonly NamedSweeps[]): SweptNames {
  const points = sides.flatMap(({ sweeps }) => sweeps.flatMap(({ manifest }) => manifest.points));
  const names = points.flatMap(({ options, values }) => {
    const keys = Object.keys(options);
    return Object.keys(values).map((name, index) => [name, keys[index] as string] as const);
  });
  return new Map(names.toSorted(([a], [b]) => a < b ? -1 : 1));
}

/**
 * Finds the points of a side. A parameter that only other sweeps vary has the value of the sweep's option.
 * @throws {RunFolderError} if a sweep has no successful run
 */
export async function sidePoints(
  { sweeps }: NamedSweeps,
  names: SweptNames,
): Promise<SidePointRuns[]> {
  const found = new Map<string, SidePointRuns>();
  for (const { directory, manifest } of sweeps) {
    const { points } = await readSweepResults(directory, manifest);
    if (points.every(({ successful }) => successful.length === 0)) {
      throw new RunFolderError(`${directory} holds no run with a result`);
    }
    for (const { point, runs } of points) {
      const settings = settingsOf(point.values, manifest, names);
      const key = settingsKey(settings);
      const counting = runs.filter(({ figures, folder }) =>
        // A name that leads elsewhere is not one of the sweep's.
        figures !== undefined && isSuccessful(figures) && !folder.split("/").includes("..")
      );
      const { folders = [], gpus = [] } = found.get(key) ?? {};
      found.set(key, {
        settings,
        folders: [...folders, ...counting.map(({ folder }) => `${directory}/${folder}`)],
        gpus: [...gpus, ...counting.map(({ figures }) => figures?.gpus)],
      });
    }
  }
  return [...found.values()].filter(({ folders }) => folders.length > 0);
}

function settingsOf(
  values: Readonly<Record<string, number | string>>,
  { options }: SweepManifest,
  names: SweptNames,
): PointSettings {
  return Object.fromEntries([...names].flatMap(([name, option]) => {
    const value = values[name] ?? options[option];
    const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
    return typeof only === "number" || typeof only === "string" ? [[name, only]] : [];
  }));
}

/** Text that is the same for equal settings, whatever their order is. */
export function settingsKey(settings: PointSettings): string {
  return JSON.stringify(
    Object.entries(settings).map(([name, value]) => [name, String(value)])
      .sort(([a], [b]) => (a as string) < (b as string) ? -1 : 1),
  );
}

/** Settings without the load: points with equal ones have the same workload. */
export function workloadKey(settings: PointSettings): string {
  return settingsKey(
    Object.fromEntries(Object.entries(settings).filter(([name]) => !isLoad(name))),
  );
}
