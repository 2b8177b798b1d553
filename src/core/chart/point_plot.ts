/** Points with names and intervals on a plane, as plain data: sweeps and comparisons of them. */

import type { Axis, ColorName } from "./chart.ts";

/** Text about a point or a place: a head, and rows of a name and a value. */
export interface PlotReading {
  readonly place: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
}

/** A named point. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of the intervals of both values; missing if they are not known. */
  readonly xRange?: readonly [lower: number, upper: number] | undefined;
  readonly yRange?: readonly [lower: number, upper: number] | undefined;
  /** Text next to the mark; empty for none. */
  readonly label: string;
  readonly color: ColorName;
  readonly shape: "circle" | "square";
  /** Whether the mark is hollow, because its values are not proven or invalid. */
  readonly isHollow: boolean;
  /** Whether the mark is emphasized. */
  readonly isStrong?: boolean;
  readonly reading: PlotReading;
}

/** A line from place to place. */
export interface PlotLine {
  readonly color: ColorName;
  readonly isDashed?: boolean;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** An area between two lines. */
export interface PlotBand {
  readonly color: ColorName;
  readonly x: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

/** A named value, as a dashed line across the plot. */
export interface PlotRule {
  readonly axis: "x" | "y";
  readonly at: number;
  readonly label: string;
}

/** A text within the plot. */
export interface PlotNote {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly color: ColorName;
}

/** See the module's comment. */
export interface PointPlot {
  readonly kind: "points";
  readonly id: string;
  /** Description for readers who do not see the plot. */
  readonly name: string;
  /** Heights in CSS pixels, on wide and on narrow screens. */
  readonly height: number;
  readonly narrowHeight: number;
  /** Labels include units and directions. */
  readonly x: Axis;
  readonly y: Axis;
  /** Values written below the x axis, as far as there is room; missing for round values. */
  readonly xTicks?: readonly number[] | undefined;
  readonly lines: readonly PlotLine[];
  readonly bands: readonly PlotBand[];
  readonly points: readonly PlotPoint[];
  readonly rules: readonly PlotRule[];
  /** Interval of the x axis that is shaded; missing for none. */
  readonly shaded?: readonly [from: number, to: number] | undefined;
  readonly notes: readonly PlotNote[];
  /** Readings along the x axis, ascending, instead of those of points. */
  readonly readings?: readonly { readonly x: number; readonly reading: PlotReading }[];
}
