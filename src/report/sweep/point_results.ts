/** Combined results of the runs of a point. */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { UNBOUNDED, upperBound } from "../../core/statistics/unbounded.ts";
import {
  type FigureError,
  figureOf,
  isSuccessful,
  type MetricFigures,
  type RunError,
  type RunFigures,
} from "./run_figures.ts";
import {
  type PointFigure,
  pointStatistics,
  type ShownStatistic,
  shownWindowOf,
} from "./shown_statistics.ts";
import type { SweepPoint } from "./sweep_points.ts";

/** A run of a point. */
export interface PointRun {
  /** Folder of the point below the command's. */
  readonly folder: string;
  /** Which of the point's runs it is, from 0. */
  readonly trial: number;
  /** undefined if it has not been made. */
  readonly figures: RunFigures | undefined;
}

/** A point and its runs. */
export interface PointRuns {
  readonly point: SweepPoint;
  readonly runs: readonly PointRun[];
}

/** See the module's comment. */
export interface PointResults extends PointRuns {
  readonly successful: readonly RunFigures[];
  /** Statistics of whole runs by `<metric>_<statistic>`, in the order of their names. */
  readonly figures: ReadonlyMap<string, PointFigure>;
  /** Part of the runs that is shown and ranked: the steady state if all runs have one. */
  readonly window: "steady" | "run";
  /** Statistics of that part by `<metric>_<statistic>`, in the order of their names. */
  readonly shown: ReadonlyMap<string, ShownStatistic>;
  /** The client's own error; undefined where no run measured it. */
  readonly error: RunError | undefined;
}

/** Takes the runs of a point together. */
export function pointResults(runs: PointRuns, level: number): PointResults {
  const successful = runs.runs.flatMap(({ figures }) =>
    figures !== undefined && isSuccessful(figures) ? [figures] : []
  );
  const { whole, shown } = pointStatistics(successful, level);
  return {
    ...runs,
    successful,
    figures: whole,
    window: shownWindowOf(successful),
    shown,
    error: commonError(successful),
  };
}

/** Verdicts, the worst last. */
const VERDICTS = ["valid", "not_proven", "suspect", "invalid"];

/** The worst verdict; the mean of true values lies between the means of their bounds. */
function commonError(runs: readonly RunFigures[]): RunError | undefined {
  const errors = runs.flatMap(({ error }) => error ?? []);
  // One run without makes nothing of the others' bounds for the mean.
  if (errors.length === 0 || errors.length < runs.length) return undefined;
  const metrics: Record<string, Record<string, FigureError>> = {};
  const names = new Set(
    errors.flatMap(({ metrics }) =>
      Object.entries(metrics).flatMap(([tag, statistics]) =>
        Object.keys(statistics).map((statistic) => `${tag} ${statistic}`)
      )
    ),
  );
  for (const name of names) {
    const [tag, statistic] = name.split(" ") as [string, string];
    // A figure is the mean of the runs that have it.
    const having = runs.filter((run) => figureOf(run, tag, statistic) !== undefined);
    const all = having.flatMap(({ error }) => error?.metrics[tag]?.[statistic] ?? []);
    if (all.length === 0 || all.length < having.length) continue;
    const uppers = all.map(({ upper }) => upperBound(upper ?? UNBOUNDED));
    (metrics[tag] ??= {})[statistic] = {
      lower: arithmeticMean(all.map(({ lower }) => lower)),
      upper: uppers.includes(Infinity) ? UNBOUNDED : arithmeticMean(uppers),
      verdict: worst(all.map(({ verdict }) => verdict)),
    };
  }
  return {
    verdict: worst(errors.map(({ verdict }) => verdict)),
    metrics,
    reasons: [...new Set(errors.flatMap(({ reasons }) => reasons))],
  };
}

/** The worst of some verdicts. */
export function worst(verdicts: readonly string[]): string {
  return VERDICTS[Math.max(...verdicts.map((verdict) => VERDICTS.indexOf(verdict)))] ?? "invalid";
}

/** The mean of a statistic over the shown part of a point's runs; undefined where there is none. */
export function meanOf({ shown }: PointResults, key: string): number | undefined {
  return shown.get(key)?.mean;
}

/** Part of the runs that all points show: `steady state`, `whole runs`, or which points have no former. */
export function windowText(points: readonly PointResults[]): string {
  const done = points.filter(({ successful }) => successful.length > 0);
  const whole = done.filter(({ window }) => window === "run");
  if (whole.length === done.length) return "values of whole runs";
  if (whole.length === 0) return "values of the steady state";
  return `values of the steady state; of the whole run for ${
    whole.map(({ point }) => point.label).join("; ")
  }`;
}

/** The metrics of a point's only successful run; undefined where there are several, or none. */
export function onlyRun(
  { successful }: PointResults,
): ReadonlyMap<string, MetricFigures> | undefined {
  return successful.length === 1 ? successful[0]?.metrics : undefined;
}

/** How many requests of a point's runs failed, also of runs that are no results. */
export function failedRequests({ runs }: PointResults): number {
  return runs.reduce((sum, { figures }) => sum + (figures?.requests.failed ?? 0), 0);
}
