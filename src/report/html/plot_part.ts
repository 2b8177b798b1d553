/** Places of plots on pages of sweeps, with a drawing for readers without a script. */

import type { BarPlot } from "../../core/chart/bar_plot.ts";
import { barPlotSvg } from "../../core/chart/bar_plot_svg.ts";
import type { ColorName } from "../../core/chart/chart.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import type { PointPlot } from "../../core/chart/point_plot.ts";
import { pointPlotSvg } from "../../core/chart/point_plot_svg.ts";

/** Widths of the drawings that a script replaces. */
const WIDTHS = { wide: 1104, third: 345 } as const;

/** Returns the element of a plot. */
export function plotPart(plot: PointPlot | BarPlot, size: keyof typeof WIDTHS = "wide"): string {
  const width = WIDTHS[size];
  const svg = plot.kind === "bars" ? barPlotSvg(plot, width) : pointPlotSvg(plot, width);
  return `<figure><div class="plot" id="plot-${plot.id}">${svg}</div></figure>\n`;
}

/** How plots are read, for the description of each. */
export const PLOT_KEYS =
  '<p class="unseen" id="plot-keys">Arrow keys read the plot point by point, with Shift faster; ' +
  "Home and End jump to the first and the last point; Escape closes the values.</p>\n";

/** A small form in a colour. */
export function swatch(color: ColorName, shape: "circle" | "square"): string {
  const form = shape === "circle"
    ? element("circle", { cx: 6, cy: 6, r: 5.5, fill: `var(--${color})` })
    : element("rect", { width: 12, height: 12, rx: 2, fill: `var(--${color})` });
  return element(
    "svg",
    { class: "swatch", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
    form,
  );
}

/** A key: forms with their names. */
export function plotKey(
  entries: Iterable<readonly [color: ColorName, shape: "circle" | "square", name: string]>,
): string {
  const items = [...entries].map(([color, shape, name]) =>
    `<li>${swatch(color, shape)}${escapedMarkup(name)}</li>`
  );
  return items.length === 0 ? "" : `<ul class="key">${items.join("")}</ul>\n`;
}
