/** The parts of pages that consist of pictures. */

import type { Chart } from "../chart/chart.ts";
import { chartFigure } from "./chart_figure.ts";
import type { Distribution } from "./distribution_charts.ts";

const KEYS =
  "Drag to zoom, double-click for the whole. With the keyboard: Tab to a picture, arrows " +
  "move the reading line (with Shift faster), + and - zoom, Page Up and Page Down move, 0 or Escape " +
  "show the whole.";

/** Pictures of one clock, one below another. */
export function timelinePart(charts: readonly Chart[]): string {
  return [
    `<p class="soft" id="chart-keys">${KEYS}</p>`,
    '<button id="reset-zoom" type="button" hidden>Show the whole run</button>',
    ...charts.map((chart) => chartFigure(chart, "wide")),
  ].join("\n");
}

/** The pictures of one metric with both kinds of axis, one of them hidden. */
export function distributionPart({ name, linear, log, isLog }: Distribution): string {
  const pair = (charts: readonly Chart[], scale: string, isShown: boolean): string =>
    `<div class="pair" data-scale="${scale}"${isShown ? "" : " hidden"}>` +
    `${charts.map((chart) => chartFigure(chart, "half")).join("")}</div>`;
  return `<section aria-label="${name}"><div class="bar"><h3>${name}</h3>` +
    `<button type="button" data-axis hidden aria-pressed="${isLog}">logarithmic axis</button></div>` +
    `${pair(linear, "linear", !isLog)}${pair(log, "log", isLog)}</section>\n`;
}
