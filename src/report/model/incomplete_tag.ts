import type { RunTag } from "../../config/plan/run_plan.ts";

/** Label of a run with missing shards; its value names them. */
export const INCOMPLETE_TAG = "incomplete";

/** Returns the missing shards; undefined for a complete run. */
export function incompleteText(tags: readonly RunTag[]): string | undefined {
  return tags.find(([name]) => name === INCOMPLETE_TAG)?.[1];
}
