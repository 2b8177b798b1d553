/**
 * A picture as plain data: what is drawn, not how. The drawing of SVG files and the interactive
 * pages start from the same charts.
 */

/** Names of the colours: Okabe and Ito's, which people with any kind of colour vision tell apart. */
export type ColorName = "blue" | "orange" | "green" | "vermilion" | "purple" | "grey";

/** An axis. */
export interface Axis {
  /** What stands on it, without the unit. */
  readonly label: string;
  /** `ms`, `s`, `%`, `requests`, ... */
  readonly unit: string;
  readonly scale: "linear" | "log";
  /** Bounds; where one is missing, it follows from the series. */
  readonly min?: number;
  readonly max?: number;
}

/** A value of a series; null where there is none. */
export type ChartValue = number | null;

/** Points that belong together. */
export interface ChartSeries {
  readonly label: string;
  readonly color: ColorName;
  /**
   * - `line`: from point to point;
   * - `steps`: each value holds until the next point;
   * - `bars`: each value fills the space until the next point, down to zero;
   * - `band`: between `y` and `upper`;
   * - `points`: a mark for each.
   */
  readonly shape: "line" | "steps" | "bars" | "band" | "points";
  readonly x: readonly number[];
  readonly y: readonly ChartValue[];
  /** Upper edge of a band. */
  readonly upper?: readonly ChartValue[];
  /** Radii of points, in pixels. */
  readonly radii?: readonly number[];
  readonly isDashed?: boolean;
}

/** A value worth comparing with, as a line across the picture. */
export interface ChartMark {
  readonly label: string;
  readonly at: number;
  readonly axis: "x" | "y";
}

/** A stretch of the x axis that is shaded. */
export interface ChartSpan {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** `phase` is shaded, `stall` hatched. */
  readonly kind: "phase" | "stall";
}

/** See the module's comment. */
export interface Chart {
  /** Names it among its like; letters, digits and dashes. */
  readonly id: string;
  /** What is to be seen in it, as a sentence where one can be computed. */
  readonly title: string;
  /** What is drawn. */
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly ChartSeries[];
  readonly marks: readonly ChartMark[];
  readonly spans: readonly ChartSpan[];
}
