/** Places of plots on pages of sweeps, with a drawing for readers without a script. */

import type { ColorName } from "../../core/chart/chart.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { type Plot, plotSvg } from "../../core/chart/plot.ts";

/** Widths of the drawings that a script replaces. */
const WIDTHS = { wide: 1104, third: 345 } as const;

/**
 * Returns the element of a plot.
 * @param head markup above the plot
 */
export function plotPart(plot: Plot, size: keyof typeof WIDTHS = "wide", head = ""): string {
  const svg = plotSvg(plot, WIDTHS[size]);
  return `<figure>${head}<div class="plot" id="plot-${plot.id}">${svg}</div></figure>\n`;
}

/** How plots are read, for the description of each. */
export const PLOT_KEYS =
  '<p class="unseen" id="plot-keys">Arrow keys read the plot point by point, with Shift faster; ' +
  "Home and End jump to the first and the last point; Escape closes the values.</p>\n";

/** Forms of keys. */
export type KeyShape = "circle" | "square" | "hatched" | "line";

/** A small form in a colour. */
export function swatch(color: ColorName, shape: KeyShape): string {
  const form = keyForm(`var(--${color})`, shape);
  return element(
    "svg",
    { class: "swatch", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
    form,
  );
}

function keyForm(paint: string, shape: KeyShape): string {
  switch (shape) {
    case "circle":
      return element("circle", { cx: 6, cy: 6, r: 5.5, fill: paint });
    case "square":
      return element("rect", { width: 12, height: 12, rx: 2, fill: paint });
    case "line":
      return element("rect", { y: 5, width: 12, height: 3, fill: paint });
    case "hatched":
      return element("path", { d: "M0 8L4 4M4 8L8 4M8 8L12 4", stroke: paint, "stroke-width": 2 });
  }
}

/** A key: forms with their names. */
export function plotKey(
  entries: Iterable<readonly [color: ColorName, shape: KeyShape, name: string]>,
): string {
  const items = [...entries].map(([color, shape, name]) =>
    `<li>${swatch(color, shape)}${escapedMarkup(name)}</li>`
  );
  return items.length === 0 ? "" : `<ul class="key">${items.join("")}</ul>\n`;
}
