import { TRUTH_NAMES, type TruthFigure } from "../../config/gate/truth_figure.ts";
import { threeDigits } from "../../config/gate/value_text.ts";
import type { StoredRun } from "./stored_run.ts";

/** Runs of a side, with the values that servers reported about themselves. */
type TruthRuns = readonly { readonly judged: Pick<StoredRun["judged"], "truth"> }[];

/** Values that servers reported about themselves on both sides, `cache.hit_rate 41 % and 60 %`. */
export function truthDifferences(before: TruthRuns, after: TruthRuns): string[] {
  return TRUTH_NAMES.flatMap((name) => {
    const [a, b] = [meanOf(before, name), meanOf(after, name)];
    if (a === undefined || b === undefined) return [];
    return [`${name} ${textOf(a)} and ${textOf(b)}`];
  });
}

/** The mean over runs; undefined unless each has the value. */
function meanOf(runs: TruthRuns, name: string): TruthFigure | undefined {
  const known = runs.map(({ judged: { truth } }) => truth?.get(name));
  const [first] = known;
  const values = known.map((figure) => figure?.value);
  const sum = values.reduce<number>((sum, value) => sum + (value ?? NaN), 0);
  return first === undefined || Number.isNaN(sum)
    ? undefined
    : { ...first, value: sum / values.length };
}

function textOf({ unit, value = NaN }: TruthFigure): string {
  return unit === "ratio"
    ? `${threeDigits(value * 100)} %`
    : `${threeDigits(value)} ${unit}`.trim();
}
