import type { EstimatedDifference } from "../answers/paired_difference.ts";

/** Shares of two sides, and their difference: the second one minus the first. */
export interface ComparedShares extends EstimatedDifference {
  readonly before: number;
  readonly after: number;
  /** Pairs of equal prompts; 0 if the sides are independent. */
  readonly pairs: number;
}
