/** Result of a capacity search, read from its folder. */

import { tellingDigits } from "../../config/gate/value_text.ts";
import { percentile } from "../../core/statistics/percentile.ts";
import { UNBOUNDED, upperBound } from "../../core/statistics/unbounded.ts";
import { RECORD_METRICS } from "../../measurement/metrics/record_metrics.ts";
import { GATE_FILES } from "../export/artifact_names.ts";
import { type SearchAnswer, searchAnswer, type SearchRun } from "./capacity_search.ts";
import { percentileInterval } from "./percentile_interval.ts";
import { requestValues } from "./request_values.ts";
import type { SearchGate } from "./search_gate.ts";
import { servedRateGate } from "./served_rate.ts";
import { figureOf, foundNoServer, readRunFigures, type RunFigures } from "./run_figures.ts";
import { type SearchPlan, searchUnit } from "./search_plan.ts";
import { runFolder } from "./sweep_layout.ts";
import type { SweepManifest } from "./sweep_manifest.ts";
import type { SweepPoint } from "./sweep_points.ts";

/** A run of a search. */
export interface SearchStep {
  readonly point: SweepPoint;
  readonly folder: string;
  readonly figures: RunFigures;
  readonly gates: readonly SearchGate[];
  readonly run: SearchRun;
}

/** Objective at the answer, and the confidence in its value. */
export interface JudgedObjective {
  readonly gate: SearchGate;
  /** Confidence interval of the value, in the gate's unit; undefined if it cannot be determined. */
  readonly interval: readonly [number, number] | undefined;
}

/** See the module's comment. */
export interface SearchResults {
  readonly plan: SearchPlan;
  readonly steps: readonly SearchStep[];
  readonly answer: SearchAnswer;
  /** The objectives at the answer; empty without one. */
  readonly objectives: readonly JudgedObjective[];
  /** Value of the limiting objective where it was missed; undefined if it was not. */
  readonly missed: SearchGate | undefined;
}

/** Unit of the load of a search, as results state it. */
export function searchedUnit({ plan, steps }: Pick<SearchResults, "plan" | "steps">): string {
  return searchUnit(plan.variable, steps.some(({ figures }) => figures.sessions !== undefined));
}

/** Misses by so much are no matter of chance. */
const CLEAR_RATIO = 1.25;
/** Name of the miss of a run that fails other than by an objective. */
const FAILURES = "errors";

/**
 * Reads a run of a search; undefined if it was not made, or not to its end. Where no server was, it
 * is not known what one would have met.
 */
async function readSearchStep(
  directory: string,
  manifest: SweepManifest,
  point: SweepPoint,
): Promise<SearchStep | undefined> {
  const { shape, prefix, search } = manifest;
  if (search === undefined) return undefined;
  const folder = runFolder(shape, point, 0);
  const figures = await readRunFigures(`${directory}/${folder}`, prefix);
  if (figures === undefined || figures.wasCancelled) return undefined;
  if (foundNoServer(figures)) return undefined;
  // Over before the first arrival came: the same load is tried again, with other arrivals.
  if (figures.requests.sent === 0) return undefined;
  const gates = await runGates(`${directory}/${folder}`, figures, search);
  if (gates === undefined) return undefined;
  const missed = gates.filter(({ met }) => !met);
  const fails = figures.requests.succeeded === 0 || (figures.endedEarly !== undefined &&
    missed.length === 0);
  return {
    point,
    folder,
    figures,
    gates,
    run: {
      value: point.values[search.variable] as number,
      met: missed.length === 0 && !fails,
      missed: fails ? [FAILURES] : missed.map(({ name }) => name),
      // What was not measured cannot be said to be the reason.
      byClient: !fails && figures.error !== undefined && missed.length > 0 &&
        missed.every(({ doubtful }) => doubtful),
      isClear: fails || missed.some(isClear),
      isConclusive: fails ||
        (missed.length > 0 ? missed.some(isConclusive) : gates.every(isConclusive)),
      isLonger: point.isLonger === true,
    },
  };
}

/** Whether a gate was conclusive; files of older versions lack the field. */
function isConclusive({ conclusive }: SearchGate): boolean {
  return conclusive !== false;
}

function isClear({ value, threshold, operator }: SearchGate): boolean {
  if (value === undefined || !(threshold > 0)) return false;
  const ratio = operator.startsWith("<") ? value / threshold : threshold / value;
  return ratio > CLEAR_RATIO;
}

/** Reads the outcome of a run's objectives from its file; undefined if it has none. */
export async function readGates(folder: string): Promise<SearchGate[] | undefined> {
  try {
    const text = await Deno.readTextFile(`${folder}/${GATE_FILES.gateJson}`);
    return JSON.parse(text)["gates"] as SearchGate[];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Outcome of a run's objectives; in a search for a rate, whether the rate was served is one of them.
 * undefined if the run has none.
 */
export async function runGates(
  folder: string,
  figures: RunFigures | undefined,
  search: SearchPlan | undefined,
): Promise<SearchGate[] | undefined> {
  const written = await readGates(folder);
  if (written === undefined || figures === undefined || search?.variable !== "request_rate") {
    return written;
  }
  const { failed, sent } = figures.requests;
  const served = sent === 0 ? undefined : servedRateGate(figures.load, failed / sent);
  return served === undefined ? written : [...written, served];
}

/** Reads what a search has found so far. */
export async function readSearchResults(
  directory: string,
  manifest: SweepManifest & { readonly search: SearchPlan },
): Promise<SearchResults> {
  const { search: plan, prefix } = manifest;
  const all = await Promise.all(
    manifest.points.map((point) => readSearchStep(directory, manifest, point)),
  );
  const steps = all.filter((step) => step !== undefined);
  const answer = searchAnswer(plan, steps.map(({ run }) => run));
  const atAnswer = steps.filter(({ run }) => run.value === answer.answer && run.met);
  const deciding = atAnswer.find(({ run }) => run.isLonger) ?? atAnswer.at(-1);
  const gates = deciding?.gates ?? [];
  const objectives = await Promise.all(
    gates.map((gate) => judgedObjective(gate, atAnswer, directory, prefix)),
  );
  const limit = steps.findLast(({ run }) => run.value === answer.limit && !run.met);
  return {
    plan,
    steps,
    answer,
    objectives,
    missed: limit?.gates.find(({ met }) => !met),
  };
}

/**
 * An objective with the interval that its run has. In files without intervals, a percentile and its
 * interval over the requests of all runs at a value.
 */
async function judgedObjective(
  gate: SearchGate,
  steps: readonly SearchStep[],
  directory: string,
  prefix: string | undefined,
): Promise<JudgedObjective> {
  const { lower, metric, statistic, upper, value, unit } = gate;
  if (lower !== undefined && upper !== undefined) {
    return { gate, interval: upper < UNBOUNDED ? [lower, upper] : undefined };
  }
  const percent = /^p(\d+)$/.exec(statistic)?.[1];
  const isOfRequests = RECORD_METRICS.some(({ tag }) => tag === metric);
  const measured = steps.at(-1)?.figures.metrics.get(metric)?.stats[statistic];
  if (percent === undefined || !isOfRequests || value === undefined || !measured) {
    return { gate, interval: undefined };
  }
  const values = await Promise.all(
    steps.map(({ folder }) => requestValues(`${directory}/${folder}`, prefix, metric)),
  );
  const pooled = Float64Array.from(values.flat()).sort();
  const interval = percentileInterval(pooled, Number(percent) / 100);
  if (interval === undefined) return { gate, interval };
  const ratio = unit === "" ? 1 : value / measured;
  const figure = percentile(pooled, Number(percent)) * ratio;
  const judged = steps.length === 1
    ? gate
    : { ...gate, value: figure, found: `${tellingDigits(figure, gate)} ${unit}`.trim() };
  // The client's own error comes on top; both are in the metric's own unit.
  const errors = steps.flatMap(({ figures }) => {
    const own = figureOf(figures, metric, statistic);
    const bounds = figures.error?.metrics[metric]?.[statistic];
    return own === undefined || bounds === undefined ? [] : [{
      below: own - bounds.lower,
      above: upperBound(bounds.upper) - own,
    }];
  });
  const below = Math.max(0, ...errors.map(({ below }) => below));
  const above = Math.max(0, ...errors.map(({ above }) => above));
  if (above === Infinity) return { gate: judged, interval: undefined };
  return {
    gate: judged,
    interval: [Math.max(0, interval[0] - below) * ratio, (interval[1] + above) * ratio],
  };
}
