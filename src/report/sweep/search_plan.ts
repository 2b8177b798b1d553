import type { Slo } from "../../config/gate/slo.ts";

/** Variable of a capacity search. */
export type SearchVariable = "concurrency" | "sessions" | "request_rate";

const UNITS: Readonly<Record<SearchVariable, string>> = {
  concurrency: "in flight",
  sessions: "sessions in progress",
  "request_rate": "requests/s",
};

const NAMES: Readonly<Record<SearchVariable, string>> = {
  concurrency: "concurrency",
  sessions: "number of sessions in progress",
  "request_rate": "request rate",
};

/** Units of loads that count sessions of several requests. */
const SESSION_UNITS: Readonly<Record<SearchVariable, string>> = {
  ...UNITS,
  concurrency: UNITS.sessions,
  "request_rate": "sessions/s",
};

/**
 * Unit of a load, as results state it.
 * @param countsSessions whether the runs have sessions of several requests
 */
export function searchUnit(variable: SearchVariable, countsSessions: boolean): string {
  return (countsSessions ? SESSION_UNITS : UNITS)[variable];
}

/** Name of a load within a sentence. */
export function searchName(variable: SearchVariable): string {
  return NAMES[variable];
}

/** Option that sets the load of a run. */
export function searchOption(variable: SearchVariable): "concurrency" | "requestRate" {
  return variable === "request_rate" ? "requestRate" : "concurrency";
}

/** A capacity search: the largest value at which every objective is met. */
export interface SearchPlan {
  readonly variable: SearchVariable;
  readonly slos: readonly Slo[];
  readonly min: number;
  readonly max: number;
  /**
   * Maximum relative distance between the largest value that meets and the smallest that misses.
   */
  readonly precision: number;
  /** Largest number of runs. */
  readonly maxRuns: number;
  /** GPUs that serve the load; missing if they are not stated. */
  readonly gpus?: number | undefined;
}
