import type { RunTag } from "../../config/plan/run_plan.ts";

/** The label of results that are not of the run's own definitions; its value says what is not. */
export const RECOMPUTED_TAG = "recomputed";

/** What was recomputed otherwise; undefined of a run as it was. */
export function recomputedText(tags: readonly RunTag[]): string | undefined {
  return tags.find(([name]) => name === RECOMPUTED_TAG)?.[1];
}
