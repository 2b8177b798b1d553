import type { Slo } from "../../config/gate/slo.ts";

/** Variable of a capacity search. */
export type SearchVariable = "concurrency" | "request_rate";

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
}
