import {
  type SampleConfidence,
  sampleConfidence,
} from "../../core/statistics/sample_confidence.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { figureOf, type RunFigures, STATISTICS } from "./run_figures.ts";
import { type Interval, intervalIn, objectIn } from "./shown_figures.ts";

/** Successful runs from which the interval is that of the variance between runs. */
export const MIN_RUNS = 3;

/** A statistic of the shown part of the runs of a point. */
export interface ShownStatistic extends SampleConfidence {
  readonly unit: string;
  /** Confidence interval, without the client's error; undefined if it is not known. */
  readonly sampling: Interval | undefined;
  /** Confidence interval, widened by the client's error; undefined if it is not known. */
  readonly interval: Interval | undefined;
}

/** Part of the runs that is shown: the steady state only if all of them have one. */
export function shownWindowOf(runs: readonly RunFigures[]): "steady" | "run" {
  return runs.length > 0 && runs.every(({ shown }) => shown.window === "steady") ? "steady" : "run";
}

/**
 * Statistics of the shown part of runs, by `<metric>_<statistic>`. With three runs or more the confidence
 * interval is Student's t over the runs, with fewer the mean of the 95 % intervals of each run.
 * @param level of the interval over runs, such as 0.95
 */
export function shownStatistics(
  runs: readonly RunFigures[],
  level: number,
): ReadonlyMap<string, ShownStatistic> {
  const isSteady = shownWindowOf(runs) === "steady";
  const units = new Map(
    runs.flatMap(({ metrics }) => [...metrics].map(([tag, { unit }]) => [tag, unit] as const)),
  );
  const found = new Map<string, ShownStatistic>();
  for (const tag of [...units.keys()].sort()) {
    for (const statistic of STATISTICS) {
      const having = runs.flatMap((run) => {
        const own = isSteady ? objectIn(run.shown.metrics, tag)[statistic] : undefined;
        const value = typeof own === "number" ? own : figureOf(run, tag, statistic);
        // A whole run's value has no interval of its steady state.
        const isOfPart = typeof own === "number" || run.shown.window === "run";
        return value === undefined ? [] : [{ run, value, isOfPart }];
      });
      if (having.length === 0) continue;
      const values = having.map(({ value }) => value);
      const confidence = sampleConfidence(values, level);
      const known = (name: "sampling" | "error") =>
        meanInterval(
          having.map(({ isOfPart, run }) =>
            isOfPart ? intervalIn(run.shown[name], tag, statistic) : undefined
          ),
        );
      const sampling = having.length >= MIN_RUNS
        ? { lower: confidence.ciLow, upper: confidence.ciHigh }
        : known("sampling");
      found.set(`${tag}_${statistic}`, {
        ...confidence,
        unit: units.get(tag) as string,
        sampling,
        interval: sampling && widened(sampling, confidence.mean, known("error")),
      });
    }
  }
  return found;
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
