/** Chart in a page: its finding, the plot, and its numbers as a table. */

import { axisTitle } from "../../core/chart/axis_text.ts";
import type { Chart, ChartSeries } from "../../core/chart/chart.ts";
import { chartSvg } from "../../core/chart/chart_svg.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { paintOf } from "../../core/chart/palette.ts";
import { htmlTable } from "./html_table.ts";

/** Most rows of a table of numbers. */
const MAX_ROWS = 60;

/** Sizes of charts: full page width, a panel of several, or two side by side. */
const CHART_SIZES = { wide: [1000, 190], panel: [1000, 130], half: [520, 230] } as const;

/** Returns the chart's element. A script replaces the static chart by an interactive one. */
export function chartFigure(chart: Chart, size: keyof typeof CHART_SIZES, extra = ""): string {
  const [width, height] = CHART_SIZES[size];
  return [
    `<figure class="chart" id="chart-${escapedMarkup(chart.id)}">`,
    `<figcaption${size === "panel" ? ' class="panel"' : ""}><h3>${escapedMarkup(chart.title)}</h3>`,
    `<p>${escapedMarkup(chart.caption)}</p></figcaption>`,
    seriesKeys(chart),
    `<div class="still">${chartSvg(chart, { width, height, isFile: false })}</div>`,
    extra,
    `<details><summary>Data table</summary>${numbers(chart)}</details>`,
    "</figure>\n",
  ].join("");
}

/** Names of the series, for screens on which lines have no room for their labels. */
function seriesKeys({ series }: Chart): string {
  if (series.length < 2) return "";
  const items = series.map(({ color, label }) =>
    `<li><svg aria-hidden="true" viewBox="0 0 11 11"><rect width="11" height="11" rx="2" fill="${
      paintOf(color, false)
    }"/></svg>${escapedMarkup(label)}</li>`
  );
  return `<ul class="keys narrow">${items.join("")}</ul>`;
}

/** A table for each row of x values that series share. */
function numbers(chart: Chart): string {
  return groupsOf(chart.series).map((group) => {
    const [{ x }] = group as [ChartSeries];
    const step = Math.max(1, Math.ceil(x.length / MAX_ROWS));
    const rows = x.flatMap((at, index) =>
      index % step === 0 || index === x.length - 1
        ? [[figureText(at), ...group.flatMap((series) => cellsOf(series, index))]]
        : []
    );
    const caption = `${chart.y.label} in ${chart.y.unit}` +
      (step === 1 ? "" : `, every ${step}th of ${x.length} values`);
    return htmlTable({
      caption,
      head: [axisTitle(chart.x), ...group.flatMap(headOf)],
      rows,
    });
  }).join("");
}

function groupsOf(series: readonly ChartSeries[]): ChartSeries[][] {
  const groups: ChartSeries[][] = [];
  for (const one of series) {
    const group = groups.find(([first]) =>
      first?.x === one.x && (first.shape === "points") === (one.shape === "points")
    );
    if (group === undefined || one.shape === "points") groups.push([one]);
    else group.push(one);
  }
  return groups;
}

function headOf({ label, shape }: ChartSeries): string[] {
  return shape === "band" || shape === "stack" ? [`${label}: from`, "to"] : [label];
}

function cellsOf({ y, upper, shape }: ChartSeries, index: number): string[] {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? "-" : figureText(value);
  return shape === "band" || shape === "stack"
    ? [text(y[index]), text(upper?.[index])]
    : [text(y[index])];
}
