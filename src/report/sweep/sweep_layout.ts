import type { SweepPoint } from "./sweep_points.ts";

/** Properties of a command that determine the folders of its runs. */
export interface SweepShape {
  /** Whether it is one plan, the points of a sweep, or the steps of a search. */
  readonly kind: "runs" | "sweep" | "search";
  /** Runs of each point. */
  readonly trials: number;
  readonly mode: "repeated" | "independent";
}

/** Collective names of the runs of a command. */
export const SHAPE_TITLES = {
  runs: "repeated runs",
  sweep: "sweep",
  search: "capacity search",
} as const;

/** Files of the command itself, in its own folder. */
export const SWEEP_FILES = {
  /** Plan of the command, from which a sweep is continued. */
  manifest: "sweep.json",
  page: "sweep.html",
  markdown: "sweep.md",
  search: "search_export.json",
  export: "sweep_export.json",
} as const;

/** AIPerf's names of files made of several runs. */
export const AGGREGATE_FILES = {
  aggregateJson: "profile_export_aiperf_aggregate.json",
  aggregateCsv: "profile_export_aiperf_aggregate.csv",
  sweepJson: "profile_export_aiperf_sweep.json",
  sweepCsv: "profile_export_aiperf_sweep.csv",
} as const;

/**
 * The folder of a run below the command's own, as AIPerf has it.
 * @param trial from 0
 */
export function runFolder(
  { kind, trials, mode }: SweepShape,
  point: SweepPoint,
  trial: number,
): string {
  const number = String(trial + 1).padStart(4, "0");
  if (kind === "search") {
    return `search_iter_${String(point.index + 1).padStart(4, "0")}/profile_runs/run_${number}`;
  }
  if (kind === "runs") return `profile_runs/run_${number}`;
  if (trials === 1) return point.folder;
  return mode === "repeated"
    ? `profile_runs/trial_${number}/${point.folder}`
    : `${point.folder}/profile_runs/trial_${number}`;
}

/** The folder of the statistics over the runs of a point; undefined where there is one run. */
export function aggregateFolder(
  { kind, trials, mode }: SweepShape,
  point: SweepPoint,
): string | undefined {
  if (trials === 1) return undefined;
  if (kind === "runs") return "aggregate";
  return mode === "repeated" ? `aggregate/${point.folder}` : `${point.folder}/aggregate`;
}

/** The folder of the table of all points; undefined where there are none. */
export function sweepFolder({ kind, trials, mode }: SweepShape): string | undefined {
  if (kind !== "sweep") return undefined;
  return trials > 1 && mode === "repeated" ? "aggregate/sweep_aggregate" : "sweep_aggregate";
}
