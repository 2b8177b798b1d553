/**
 * Next value of a capacity search, and the result of its runs: a pure function of the runs so far,
 * so that an interrupted search can be continued.
 *
 * An inconclusive step is repeated once with a longer run, whose value then decides. The search
 * doubles the value until an objective is missed, bisects between the largest value that meets and
 * the smallest that misses, and then confirms both. A value counts as met or missed once two runs
 * agree. If two runs disagree, a third one decides; if its result overturns an earlier one, the
 * bisection continues from there.
 */

import type { SearchPlan } from "./search_plan.ts";

/** Result of a run of a search. */
export interface SearchRun {
  readonly value: number;
  readonly met: boolean;
  /** Missed objectives; empty if the run met all. */
  readonly missed: readonly string[];
  /** Whether the client's own error could be all there is to the miss. */
  readonly byClient: boolean;
  /** Whether an objective was missed by so much that no repetition is needed. */
  readonly isClear: boolean;
  /** Whether confidence intervals exclude the opposite result. */
  readonly isConclusive: boolean;
  /** Whether the run is the longer repetition of an inconclusive one. */
  readonly isLonger: boolean;
}

/** Result of a search. */
export interface SearchAnswer {
  /** The largest value at which the objectives are met; undefined if there is none. */
  readonly answer: number | undefined;
  /** The smallest value above it at which they are not; undefined if none was found. */
  readonly limit: number | undefined;
  /** Whether the server may well do more. */
  readonly atLeast: boolean;
  /** Name of the missed objective, `client`, or `range` where the largest value was met. */
  readonly limitedBy: string | undefined;
  /** Whether two runs agree about the answer, or a longer one decided. */
  readonly isConfirmed: boolean;
  /**
   * Whether it is conclusive that the answer meets the objectives, and that the limit misses one; without
   * an answer, that the smallest value misses one.
   */
  readonly isProven: boolean;
}

/** The runs of one value. */
interface Tried {
  readonly value: number;
  readonly runs: readonly SearchRun[];
  /** Result of the longer run; without one that of the majority, in a draw that of the first run. */
  readonly met: boolean;
  readonly isSettled: boolean;
}

/** Agreeing runs that settle a value. */
const AGREEING = 2;

/** A run to make next. */
export interface NextStep {
  readonly value: number;
  /** Whether it repeats an inconclusive run, longer. */
  readonly isLonger: boolean;
}

/** The run to make next; undefined when nothing more is to be found. */
export function nextStep(plan: SearchPlan, runs: readonly SearchRun[]): NextStep | undefined {
  if (runs.length >= plan.maxRuns) return undefined;
  const last = runs.at(-1);
  const isOpen = last?.isConclusive === false &&
    !runs.some(({ isLonger, value }) => isLonger && value === last.value);
  const value = isOpen ? last?.value : nextValue(plan, runs);
  return value === undefined ? undefined : { value, isLonger: isOpen };
}

function nextValue(plan: SearchPlan, runs: readonly SearchRun[]): number | undefined {
  const { low, high } = bracket(runs);
  if (low === undefined) {
    if (high === undefined) return plan.min;
    // The smallest value of all was missed: once more, and that is the answer.
    if (high.value <= plan.min) return isSure(high) ? undefined : high.value;
    return between(plan, plan.min, high.value) ?? plan.min;
  }
  if (high === undefined) {
    if (low.value >= plan.max) return low.isSettled ? undefined : low.value;
    return Math.min(plan.max, rounded(plan, low.value * 2));
  }
  const middle = between(plan, low.value, high.value);
  if (middle !== undefined) return middle;
  if (!low.isSettled) return low.value;
  return isSure(high) ? undefined : high.value;
}

/** Returns the result of the runs so far. */
export function searchAnswer(plan: SearchPlan, runs: readonly SearchRun[]): SearchAnswer {
  const { low, high } = bracket(runs);
  const miss = high?.runs.findLast(({ met }) => !met);
  const byClient = high !== undefined &&
    high.runs.filter(({ met }) => !met).every(({ byClient }) => byClient);
  const isAtEnd = low !== undefined && high === undefined && low.value >= plan.max;
  return {
    answer: low?.value,
    limit: high?.value,
    atLeast: low !== undefined && (high === undefined || byClient ||
      between(plan, low.value, high.value) !== undefined),
    limitedBy: byClient ? "client" : miss?.missed[0] ?? (isAtEnd ? "range" : undefined),
    isConfirmed: low?.isSettled ?? false,
    isProven: low === undefined
      ? isProven(high)
      : isProven(low) && (isProven(high) || isAtEnd) && !byClient,
  };
}

/** Whether the result of a value is conclusive. */
function isProven(tried: Tried | undefined): boolean {
  if (tried === undefined) return false;
  const longer = tried.runs.find(({ isLonger }) => isLonger);
  const deciding = longer === undefined ? tried.runs : [longer];
  return deciding.some(({ isConclusive, met }) => met === tried.met && isConclusive);
}

/** The smallest value that misses, and the largest below it that meets. */
function bracket(runs: readonly SearchRun[]): { low: Tried | undefined; high: Tried | undefined } {
  const tried = [...Map.groupBy(runs, ({ value }) => value)].map(([value, runs]): Tried => {
    const met = runs.filter(({ met }) => met).length;
    const missed = runs.length - met;
    const longer = runs.find(({ isLonger }) => isLonger);
    return {
      value,
      runs,
      met: longer?.met ?? (met === missed ? runs[0]?.met === true : met > missed),
      isSettled: longer !== undefined || Math.max(met, missed) >= AGREEING,
    };
  }).sort((a, b) => a.value - b.value);
  const high = tried.find(({ met }) => !met);
  const low = tried.findLast(({ met, value }) => met && (high === undefined || value < high.value));
  return { low, high };
}

function isSure({ runs, isSettled }: Tried): boolean {
  return isSettled || runs.some(({ met, isClear }) => !met && isClear);
}

/** A value about in the middle; undefined where the two are close enough, or neighbours. */
function between(plan: SearchPlan, low: number, high: number): number | undefined {
  if (high - low <= stepOf(plan, low)) return undefined;
  const middle = rounded(plan, (low + high) / 2);
  return middle > low && middle < high ? middle : undefined;
}

/** How far apart two values may be that count as one answer. */
export function stepOf({ variable, precision }: SearchPlan, value: number): number {
  const step = precision * value;
  return variable === "request_rate" ? step : Math.max(1, Math.floor(step));
}

/** Whole requests or sessions; rates to four digits. */
function rounded({ variable }: SearchPlan, value: number): number {
  return variable === "request_rate" ? Number(value.toPrecision(4)) : Math.round(value);
}
