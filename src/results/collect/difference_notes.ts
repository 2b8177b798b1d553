/** Notes on what differs between runs that are compared. */

import { planDifferences } from "./plan_differences.ts";
import type { StoredRun } from "./stored_run.ts";

/** Maximum number of items of a list that are named. */
const MAX_NAMED = 8;

/** A note that lists the differences; none without differences. */
export function unlike(what: string, found: readonly string[]): string[] {
  return found.length === 0 ? [] : [`the ${what} are not the same: ${listed(found).join("; ")}`];
}

/** The first items of a list, and how many more there are. */
export function listed(all: readonly string[]): string[] {
  const more = all.length - MAX_NAMED;
  return more > 0 ? [...all.slice(0, MAX_NAMED), `and ${more} more`] : [...all];
}

/** Where the settings of two runs differ, a phrase each. */
export function planTexts(
  { settings: one }: Pick<StoredRun, "settings">,
  { settings: other }: Pick<StoredRun, "settings">,
): string[] {
  return planDifferences(one, other).map(({ after, before, name }) =>
    `${name}: ${before} and ${after}`
  );
}
