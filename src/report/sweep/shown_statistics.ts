import {
  type SampleConfidence,
  sampleConfidence,
} from "../../core/statistics/sample_confidence.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { figureOf, type RunFigures, STATISTICS } from "./run_figures.ts";
import { type Interval, intervalIn, objectIn } from "./shown_figures.ts";

/** Successful runs from which the interval is that of the variance between runs. */
export const MIN_RUNS = 3;

/** Confidence level of the intervals within a run. */
const RUN_LEVEL = 0.95;

/** A statistic of a metric over the runs of a point. */
export interface PointFigure extends SampleConfidence {
  readonly unit: string;
}

/** A statistic of the shown part of the runs of a point. */
export interface ShownStatistic extends PointFigure {
  /** Confidence level of the intervals, such as 0.95. */
  readonly level: number;
  /** Confidence interval, without the client's error; undefined if it is not known. */
  readonly sampling: Interval | undefined;
  /** Confidence interval, widened by the client's error; undefined if it is not known. */
  readonly interval: Interval | undefined;
}

/** Part of the runs that is shown: the steady state only if all of them have one. */
export function shownWindowOf(runs: readonly RunFigures[]): "steady" | "run" {
  return runs.length > 0 && runs.every(({ shown }) => shown.window === "steady") ? "steady" : "run";
}

/** Statistics over the runs of a point, by `<metric>_<statistic>` in the order of their names. */
export interface PointStatistics {
  /** Statistics of whole runs. */
  readonly whole: ReadonlyMap<string, PointFigure>;
  /** Statistics of the part that is shown. */
  readonly shown: ReadonlyMap<string, ShownStatistic>;
}

/** Value of a statistic in a run. */
interface RunValue {
  readonly run: RunFigures;
  readonly value: number;
  /** Whether the run's intervals are those of this value: they concern its shown part. */
  readonly isOfPart: boolean;
}

/**
 * Returns the statistics over runs. With three runs or more that have a statistic, its confidence
 * interval is Student's t over the runs, with fewer the mean of the 95 % intervals of each run.
 * @param level of the interval over runs, such as 0.95
 */
export function pointStatistics(runs: readonly RunFigures[], level: number): PointStatistics {
  const isSteady = shownWindowOf(runs) === "steady";
  const units = new Map<string, string>();
  for (const { metrics } of runs) {
    for (const [tag, { unit }] of metrics) if (!units.has(tag)) units.set(tag, unit);
  }
  const whole = new Map<string, PointFigure>();
  const shown = new Map<string, ShownStatistic>();
  for (const tag of [...units.keys()].sort()) {
    const unit = units.get(tag) as string;
    for (const statistic of STATISTICS) {
      const key = `${tag}_${statistic}`;
      const values = runs.flatMap((run) => figureOf(run, tag, statistic) ?? []);
      const figure = values.length === 0 ? undefined : { ...sampleConfidence(values, level), unit };
      if (figure !== undefined) whole.set(key, figure);
      const having = runs.flatMap((run): RunValue[] => {
        const own = isSteady ? objectIn(run.shown.metrics, tag)[statistic] : undefined;
        const value = typeof own === "number" ? own : figureOf(run, tag, statistic);
        // A whole run's value has no interval of its steady state.
        const isOfPart = typeof own === "number" || run.shown.window === "run";
        return value === undefined ? [] : [{ run, value, isOfPart }];
      });
      if (having.length === 0) continue;
      const confidence = isSteady || figure === undefined
        ? { ...sampleConfidence(having.map(({ value }) => value), level), unit }
        : figure;
      shown.set(key, withIntervals(confidence, having, { tag, statistic, level }));
    }
  }
  return { whole, shown };
}

/** Adds the intervals of a statistic. */
function withIntervals(
  figure: PointFigure,
  having: readonly RunValue[],
  { tag, statistic, level }: {
    readonly tag: string;
    readonly statistic: string;
    readonly level: number;
  },
): ShownStatistic {
  const known = (name: "sampling" | "error") =>
    meanInterval(
      having.map(({ isOfPart, run }) =>
        isOfPart ? intervalIn(run.shown[name], tag, statistic) : undefined
      ),
    );
  const isOverRuns = having.length >= MIN_RUNS;
  const sampling = isOverRuns ? { lower: figure.ciLow, upper: figure.ciHigh } : known("sampling");
  return {
    ...figure,
    level: isOverRuns ? level : RUN_LEVEL,
    sampling,
    interval: sampling && widened(sampling, figure.mean, known("error")),
  };
}

/** Mean of the ends of intervals; undefined unless all are known. */
function meanInterval(intervals: readonly (Interval | undefined)[]): Interval | undefined {
  const known = intervals.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < intervals.length) return undefined;
  const isOpen = known.some(({ upper }) => upper >= UNBOUNDED);
  const mean = (end: keyof Interval): number =>
    known.reduce((sum, one) => sum + one[end] / known.length, 0);
  return { lower: mean("lower"), upper: isOpen ? UNBOUNDED : mean("upper") };
}

/** An interval, each end moved by how far the client may have shifted the value. */
function widened(
  { lower, upper }: Interval,
  value: number,
  error: Interval | undefined,
): Interval {
  if (error === undefined) return { lower, upper };
  const [below, above] = [Math.max(0, value - error.lower), Math.max(0, error.upper - value)];
  return { lower: lower - below, upper: Math.min(UNBOUNDED, upper + above) };
}

/** Whether two intervals have a value in common; not if either is not known. */
export function overlap(a: Interval | undefined, b: Interval | undefined): boolean {
  return a !== undefined && b !== undefined && a.lower <= b.upper && b.lower <= a.upper;
}
