/** Stacked bars with names, as plain data. */

import type { ColorName } from "./chart.ts";
import type { PlotReading } from "./point_plot.ts";

/** A part of a bar. */
export interface BarPart {
  readonly color: ColorName;
  readonly value: number;
  readonly reading: PlotReading;
}

/** A bar. */
export interface BarRow {
  /** Text before the bar. */
  readonly label: string;
  /** Text behind the bar. */
  readonly total: string;
  readonly parts: readonly BarPart[];
}

/** See the module's comment. */
export interface BarPlot {
  readonly kind: "bars";
  readonly id: string;
  /** Description for readers who do not see the plot. */
  readonly name: string;
  readonly rows: readonly BarRow[];
  /** Whether bars are thin, as many of them are shown. */
  readonly isDense?: boolean;
}
