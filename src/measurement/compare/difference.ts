import type { ComparedStatistic } from "./compared_statistics.ts";

/** Verdict of a comparison on a statistic. */
export type Verdict = "better" | "worse" | "not significant" | "not comparable";

/** The difference of a statistic between two sides. */
export interface Difference {
  readonly statistic: ComparedStatistic;
  readonly before: number;
  readonly after: number;
  /** Difference as a fraction of `before`; in percentage points for shares and the error rate. */
  readonly difference: number;
  /** Interval of the difference; NaN where there is too little to have one. */
  readonly lower: number;
  readonly upper: number;
  readonly verdict: Verdict;
  /** Pairs of equal prompts or sessions that the values are of, 0 for independent sides; undefined for others. */
  readonly pairs?: number;
  /** Why there is no interval. */
  readonly remark: string | undefined;
}
