import type { Slo } from "../../config/gate/slo.ts";

/** What a capacity search varies. */
export type SearchVariable = "concurrency" | "request_rate";

/** A capacity search: the largest value at which every objective is met. */
export interface SearchPlan {
  readonly variable: SearchVariable;
  readonly slos: readonly Slo[];
  readonly min: number;
  readonly max: number;
  /** How close, as a share, the largest that meets and the smallest that misses must be. */
  readonly precision: number;
  /** Largest number of runs. */
  readonly maxRuns: number;
}
