/** Compares two sweeps by their folders: points with equal settings, and the frontiers of both. */

import { comparableDifferences } from "../../measurement/compare/comparable_differences.ts";
import { compareSides } from "../../measurement/compare/compare_sides.ts";
import { frontierDifference } from "../../measurement/compare/frontier_difference.ts";
import { type DrawnPoint, pointDraws } from "../../measurement/compare/point_draws.ts";
import { quietDifference } from "../../measurement/compare/quiet_difference.ts";
import type { RunSample } from "../../measurement/compare/run_sample.ts";
import type {
  JoinedPoint,
  SidePoint,
  SweepComparison,
} from "../../measurement/compare/sweep_comparison.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { openStoredRun } from "../collect/open_stored_run.ts";
import { sweepNotes } from "./sweep_notes.ts";
import {
  type NamedSweeps,
  type OpenedPoint,
  settingsKey,
  type SidePointRuns,
  sidePoints,
  type SlimRun,
  sweptNames,
  workloadKey,
} from "./sweep_side.ts";

/** Settings of a comparison of sweeps. */
export interface CompareSweepsOptions {
  /** Fraction below which a difference is ignored. */
  readonly minDifference: number;
  /** Part of each run that is compared; the whole run where it has no steady state. */
  readonly window: WindowName;
}

const DRAWS = 1000;
const SEED = 1;

/**
 * Compares a sweep with another one.
 * @throws {RunFolderError} if a run cannot be read, or a sweep has no result
 */
export async function compareSweeps(
  before: NamedSweeps,
  after: NamedSweeps,
  { minDifference, window }: CompareSweepsOptions,
): Promise<SweepComparison> {
  const names = sweptNames([before, after]);
  const a = await opened(await sidePoints(before, names), window);
  const b = await opened(await sidePoints(after, names), window);
  const other = new Map(b.map((point) => [settingsKey(point.settings), point]));
  const pairs: [OpenedPoint, OpenedPoint][] = a.flatMap((point) => {
    const partner = other.get(settingsKey(point.settings));
    return partner === undefined ? [] : [[point, partner]];
  });
  const points: JoinedPoint[] = [];
  for (const [one, partner] of pairs) points.push(await joined(one, partner, minDifference));
  const without = (some: readonly OpenedPoint[], others: readonly OpenedPoint[]) => {
    const keys = new Set(others.map(({ settings }) => settingsKey(settings)));
    return some.filter(({ settings }) => !keys.has(settingsKey(settings)))
      .map(({ settings }) => settings);
  };
  const [onlyBefore, onlyAfter] = [without(a, b), without(b, a)];
  return {
    ...{ before: before.label, after: after.label, points, onlyBefore, onlyAfter, minDifference },
    ...frontiers(a, b),
    isComparable: areComparable([...a, ...b].flatMap(({ runs }) => runs)),
    notes: sweepNotes({ before, after, a, b, pairs, onlyBefore, onlyAfter }),
  };
}

/** Opens the runs of points, all of a point with the same window. */
async function opened(
  points: readonly SidePointRuns[],
  window: WindowName,
): Promise<OpenedPoint[]> {
  const found: OpenedPoint[] = [];
  for (const point of points) {
    let runs = await openRuns(point.folders, window);
    if (new Set(runs.map((run) => run.window)).size > 1) {
      runs = await openRuns(point.folders, "run");
    }
    found.push({ ...point, runs });
  }
  return found;
}

async function openRuns(folders: readonly string[], window: WindowName): Promise<SlimRun[]> {
  const runs: SlimRun[] = [];
  for (const folder of folders) {
    const { judged: _judged, timeline: _timeline, ...run } = await openStoredRun(folder, window);
    runs.push(run);
  }
  return runs;
}

async function joined(
  before: OpenedPoint,
  after: OpenedPoint,
  minDifference: number,
): Promise<JoinedPoint> {
  const windows = new Set([...before.runs, ...after.runs].map(({ window }) => window));
  const [a, b] = windows.size === 1
    ? [before.runs, after.runs]
    : [await openRuns(before.folders, "run"), await openRuns(after.folders, "run")];
  return {
    settings: before.settings,
    window: windows.size === 1 && windows.has("steady") ? "steady" : "run",
    runs: { before: a.length, after: b.length },
    differences: comparableDifferences(
      compareSides(samplesOf(a), samplesOf(b), { minDifference }),
      areComparable([...a, ...b]),
    ),
    quiet: quietDifference(samplesOf(a), samplesOf(b)),
  };
}

/** Whether no run is known to be incomparable. */
function areComparable(runs: readonly SlimRun[]): boolean {
  return runs.every(({ incomparable }) => incomparable === undefined);
}

function samplesOf(runs: readonly SlimRun[]): RunSample[] {
  return runs.map(({ sample }) => sample);
}

/** The frontiers of the workloads that both sides have. */
function frontiers(
  a: readonly OpenedPoint[],
  b: readonly OpenedPoint[],
): Pick<SweepComparison, "frontier" | "sides" | "isPerGpu"> {
  const shared = (some: readonly OpenedPoint[], others: readonly OpenedPoint[]) => {
    const workloads = new Set(others.map(({ settings }) => workloadKey(settings)));
    return some.filter(({ settings }) => workloads.has(workloadKey(settings)));
  };
  const [before, after] = [shared(a, b), shared(b, a)];
  const all = [...before, ...after];
  const isPerGpu = all.length > 0 &&
    all.every(({ gpus }) => gpus[0] !== undefined && gpus.every((count) => count === gpus[0]));
  const drawn = pointDraws(
    all.map(({ gpus, runs }) => ({
      runs: samplesOf(runs),
      gpus: isPerGpu ? gpus[0] as number : 1,
    })),
    { draws: DRAWS, seed: SEED },
  );
  const [drawnBefore, drawnAfter] = [drawn.slice(0, before.length), drawn.slice(before.length)];
  const frontier = frontierDifference(
    drawnBefore.filter((point) => point !== undefined),
    drawnAfter.filter((point) => point !== undefined),
  );
  const { curves } = frontier;
  return {
    isPerGpu,
    frontier,
    sides: {
      before: before.map((point, at) => sidePoint(point, drawnBefore[at], curves.before)),
      after: after.map((point, at) => sidePoint(point, drawnAfter[at], curves.after)),
    },
  };
}

function sidePoint(
  { runs, settings }: OpenedPoint,
  drawn: DrawnPoint | undefined,
  curve: SweepComparison["frontier"]["curves"]["before"],
): SidePoint {
  const { rate = NaN, speed = NaN, intervals } = drawn ?? {};
  return {
    settings,
    speed,
    rate,
    speedInterval: intervals?.speed ?? [NaN, NaN],
    rateInterval: intervals?.rate ?? [NaN, NaN],
    isOnFront: curve.some((place) => place.speed === speed && place.rate === rate),
    runs: runs.length,
  };
}
