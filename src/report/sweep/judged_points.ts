/** The points of a sweep with what is concluded from all of them: the same for every form of the results. */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { diagnose } from "../diagnosis/diagnose.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import { workloadOf } from "./load_parameters.ts";
import { type PointResults, worst } from "./point_results.ts";
import type { RunFigures } from "./run_figures.ts";
import { sweepFront } from "./sweep_front.ts";
import { sweepKnees } from "./sweep_knees.ts";

/** Bottleneck of a point, under the keys of a summary's `diagnosis`. */
export type PointDiagnosis = Readonly<Record<string, unknown>>;

/** See the module's comment. */
export interface JudgedPoint {
  readonly result: PointResults;
  /** Parameters with their values, `inf` for no limit. */
  readonly settings: Readonly<Record<string, number | "inf">>;
  /** Bottleneck of its last run, with the sweep's other points in mind; undefined if that is not known. */
  readonly diagnosis: PointDiagnosis | undefined;
  /** Measurements of its runs, means over them; undefined if they are not known. */
  readonly evidence: Evidence | undefined;
  /** Worst verdict among its runs: valid, not_proven, suspect, invalid; undefined without a result. */
  readonly verdict: string | undefined;
  readonly isOnFront: boolean;
  readonly isKnee: boolean;
  /** Whether loads are sessions of several requests, not requests. */
  readonly countsSessions: boolean;
}

/** Draws the conclusions on the points of a sweep. */
export function judgedPoints(results: readonly PointResults[]): JudgedPoint[] {
  const front = sweepFront(results);
  const knees = sweepKnees(results);
  return results.map((result) => ({
    result,
    settings: result.point.values,
    diagnosis: diagnosisOf(result, itlAlone(results, result)),
    evidence: meanEvidence(result.successful.flatMap(({ evidence }) => evidence ?? [])),
    verdict: worstVerdict(result.successful),
    isOnFront: front.points.has(result),
    isKnee: knees.has(result),
    countsSessions: result.successful.some(({ sessions }) => sessions !== undefined),
  }));
}

/** Bottleneck of the last run of a point that left a diagnosis. */
function diagnosisOf(
  { runs }: PointResults,
  itlAloneMs: number | undefined,
): PointDiagnosis | undefined {
  const last = runs.findLast(({ figures }) => figures?.diagnosis !== undefined)?.figures;
  if (last?.evidence === undefined || itlAloneMs === undefined) return last?.diagnosis;
  const found = diagnose({ ...last.evidence, itlAloneMs });
  return { ...found, cause: found.cause ?? null };
}

/** Mean time between tokens at a concurrency of 1, with the workload of a point; undefined if unmeasured. */
function itlAlone(results: readonly PointResults[], { point }: PointResults): number | undefined {
  const alone = results.filter((other) =>
    other.point.values["concurrency"] === 1 && workloadOf(other.point) === workloadOf(point)
  );
  return meanEvidence(
    alone.flatMap(({ successful }) => successful.flatMap(({ evidence }) => evidence ?? [])),
  )?.itlMs;
}

/** Numbers of several runs as their means over the runs that have them, the rest as in the first run. */
function meanEvidence(runs: readonly Evidence[]): Evidence | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))] as (keyof Evidence)[];
  return Object.fromEntries(names.map((name) => {
    if (name === "ttftParts") return [name, meanParts(runs)];
    const values = runs.map((run) => run[name]).filter((value) => typeof value === "number");
    return [name, values.length === 0 ? first[name] : arithmeticMean(values)];
  }));
}

/** Parts that all runs have, as their means; undefined if the runs have different parts. */
function meanParts(runs: readonly Evidence[]): Evidence["ttftParts"] {
  const all = runs.map(({ ttftParts = {} }) => ttftParts);
  const names = Object.keys(all[0] ?? {});
  const areSame = all.every((parts) =>
    Object.keys(parts).length === names.length && names.every((name) => name in parts)
  );
  return !areSame || names.length === 0 ? undefined : Object.fromEntries(
    names.map((name) => [name, arithmeticMean(all.map((parts) => parts[name] as number))]),
  );
}

function worstVerdict(runs: readonly RunFigures[]): string | undefined {
  const verdicts = runs.flatMap(({ error, verdict }) => verdict ?? error?.verdict ?? []);
  return verdicts.length === 0 ? undefined : worst(verdicts);
}
