import type { EstimatedDifference } from "../answers/paired_difference.ts";

/** Share of the smaller side that must have equal prompts or sessions on the other side for pairs. */
export const MIN_PAIRED = 0.5;

/** Shares of two sides, and their difference: the second one minus the first. */
export interface ComparedShares extends EstimatedDifference {
  readonly before: number;
  readonly after: number;
  /** Pairs of equal prompts; 0 if the sides are independent. */
  readonly pairs: number;
}
