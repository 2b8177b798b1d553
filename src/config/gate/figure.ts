import { foundFigure } from "./found_figure.ts";
import type { JudgedRun } from "./judged_run.ts";
import type { FigureName } from "./slo.ts";
import { unitText } from "./unit.ts";

/** A value of a run. */
export interface Figure {
  readonly value: number;
  /** Unit as shown: `ms`, `tokens/s`. */
  readonly unit: string;
}

/**
 * Returns a value of a run by its name; undefined if the run does not have it. If a server metric
 * has several series, it is the highest value.
 */
export function figureOf(name: FigureName, run: JudgedRun): Figure | undefined {
  const { value, unit } = foundFigure({ ...name, operator: "<", threshold: 0, unit: "" }, run);
  return value === undefined ? undefined : { value, unit: unitText(unit) };
}
