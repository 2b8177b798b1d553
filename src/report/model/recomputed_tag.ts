import type { RunTag } from "../../config/plan/run_plan.ts";

/**
 * Label of results whose definitions differ from the run's own; its value names the differences.
 */
export const RECOMPUTED_TAG = "recomputed";

/** Returns the recomputed definitions; undefined for an unchanged run. */
export function recomputedText(tags: readonly RunTag[]): string | undefined {
  return tags.find(([name]) => name === RECOMPUTED_TAG)?.[1];
}
