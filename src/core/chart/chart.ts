/**
 * A chart as plain data: what is drawn, not how. The drawing of SVG files and the interactive pages
 * start from the same charts.
 */

/**
 * Names of the colours: Okabe and Ito's, which people with any kind of colour vision can
 * distinguish.
 */
export type ColorName = "blue" | "orange" | "green" | "vermilion" | "purple" | "grey";

/** An axis. */
export interface Axis {
  /** Label of the axis, without the unit. */
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

/** A reference value, as a line across the chart. */
export interface ChartMark {
  readonly label: string;
  readonly at: number;
  readonly axis: "x" | "y";
}

/** A shaded interval of the x axis. */
export interface ChartSpan {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** `phase` is shaded, `stall` hatched. */
  readonly kind: "phase" | "stall";
}

/** See the module's comment. */
export interface Chart {
  /** Unique ID of the chart in its page; letters, digits and dashes. */
  readonly id: string;
  /** Finding of the chart as a sentence, if one can be computed. */
  readonly title: string;
  /** Description of the plotted data. */
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly ChartSeries[];
  readonly marks: readonly ChartMark[];
  readonly spans: readonly ChartSpan[];
}
