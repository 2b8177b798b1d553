import type { Comparison } from "../../measurement/compare/comparison.ts";
import type { ComparisonView, DifferingSetting } from "../../report/html/comparison_view.ts";
import type { StoredSide } from "./open_side.ts";
import { planDifferences } from "./plan_differences.ts";
import type { StoredRun } from "./stored_run.ts";

/**
 * Sides as their page needs them.
 * @param minDifference share below which a difference is none
 */
export function comparisonViewOf(
  sides: readonly StoredSide[],
  comparisons: readonly Comparison[],
  minDifference: number,
): ComparisonView {
  return {
    sides: sides.map(({ label, runs }) => ({
      label,
      runs: runs.map(({ directory, sample, judged, timeline, product, machine }) => ({
        ...{ directory, sample, client: judged.client, timeline, product, machine },
      })),
    })),
    comparisons,
    settings: differingSettings(sides),
    minDifference,
  };
}

/** Settings in which any side differs from the first one; those of a side are its first run's. */
function differingSettings(sides: readonly StoredSide[]): DifferingSetting[] {
  const [first, ...others] = sides.map(({ runs }) => runs[0] as StoredRun);
  if (first === undefined) return [];
  const differences = others.map(({ settings }) => planDifferences(first.settings, settings));
  const names = [...new Set(differences.flat().map(({ name }) => name))];
  return names.map((name) => {
    const found = differences.map((some) => some.find((one) => one.name === name));
    const before = found.find((one) => one !== undefined)?.before ?? "";
    return { name, values: [before, ...found.map((one) => one?.after ?? before)] };
  });
}
