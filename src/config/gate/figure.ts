import { foundFigure, type JudgedRun } from "./judge_slos.ts";
import type { FigureName } from "./slo.ts";
import { unitText } from "./unit.ts";

/** A figure of a run. */
export interface Figure {
  readonly value: number;
  /** As people read it: `ms`, `tokens/s`. */
  readonly unit: string;
}

/**
 * A figure of a run by its name; undefined if the run has it not. Of several series of a server's
 * metric it is the highest.
 */
export function figureOf(name: FigureName, run: JudgedRun): Figure | undefined {
  const { value, unit } = foundFigure({ ...name, operator: "<", threshold: 0, unit: "" }, run);
  return value === undefined ? undefined : { value, unit: unitText(unit) };
}
