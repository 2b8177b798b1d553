/**
 * A chart as plain data: what is drawn, not how. The drawing of SVG files and the interactive pages
 * start from the same charts.
 */

/**
 * Colours by what they mean: a colour means one thing on every page. Those of the second line are for
 * series without a role, as the sides of a comparison: Okabe and Ito's, which people with any kind of
 * colour vision can distinguish.
 */
export type ColorName =
  | ("client" | "server" | "queue" | "prefill" | "decode" | "network" | "cached" | "bad" | "ink")
  | ("a" | "b")
  | ("blue" | "orange" | "green" | "vermilion" | "purple" | "grey");

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
   * - `stack`: a part of a sum, from `y` to `upper`, where each value holds until the next point;
   * - `points`: a mark for each.
   */
  readonly shape: "line" | "steps" | "bars" | "band" | "stack" | "points";
  readonly x: readonly number[];
  readonly y: readonly ChartValue[];
  /** Upper edge of a band, or of a part of a stack. */
  readonly upper?: readonly ChartValue[];
  /** Radii of points, in pixels. */
  readonly radii?: readonly number[];
  readonly isDashed?: boolean;
  /** Whether the label is left out at the end of the line, because another one includes it. */
  readonly isUnlabelled?: boolean;
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
  /** `phase` is shaded, `stall` hatched, and `window` only has its label, above the plot. */
  readonly kind: "phase" | "stall" | "window";
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
  /** Whether it is a panel above another one that has the same x axis: lower, and without its title. */
  readonly isPanel?: boolean;
}
