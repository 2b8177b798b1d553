import type { RunTag } from "../../config/plan/run_plan.ts";

/** The label of a run of which shards are missing; its value says which. */
export const INCOMPLETE_TAG = "incomplete";

/** What is missing; undefined of a run that is all there. */
export function incompleteText(tags: readonly RunTag[]): string | undefined {
  return tags.find(([name]) => name === INCOMPLETE_TAG)?.[1];
}
