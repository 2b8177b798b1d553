/** Parts of pages that consist of charts. */

import type { Chart, ChartSpan } from "../../core/chart/chart.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { chartFigure } from "./chart_figure.ts";
import type { Distribution } from "./distribution_charts.ts";

/** Maximum number of hatched intervals that are described individually. */
const MAX_HATCHED = 4;

const KEYS =
  "Drag to zoom, double-click to reset. Keyboard: Tab selects a chart, arrows move the cursor " +
  "(Shift: faster), + and - zoom, Page Up and Page Down pan, 0 or Escape reset.";

/** Returns charts that share one clock, one below another. */
export function timelinePart(charts: readonly Chart[], size: "wide" | "panel" = "wide"): string {
  return [
    `<p class="soft" id="chart-keys">${KEYS}</p>`,
    hatchedText(charts[0]?.spans ?? []),
    '<button id="reset-zoom" type="button" hidden>Reset zoom</button>',
    ...charts.map((chart) => chartFigure(chart, size)),
  ].join("\n");
}

/** Describes the hatched intervals, the longest ones first; empty without any. */
function hatchedText(spans: readonly ChartSpan[]): string {
  const hatched = spans.filter(({ kind }) => kind === "stall")
    .toSorted((a, b) => (b.to - b.from) - (a.to - a.from));
  if (hatched.length === 0) return "";
  const texts = hatched.slice(0, MAX_HATCHED).map(({ label, from, to }) =>
    `${label} (${from.toFixed(1)} to ${to.toFixed(1)} s)`
  );
  const more = hatched.length > MAX_HATCHED ? [`and ${hatched.length - MAX_HATCHED} more`] : [];
  return `<p class="soft" id="hatched">Hatched: ${
    escapedMarkup([...texts, ...more].join("; "))
  }.</p>`;
}

/** Returns the charts of one metric with both kinds of axis, one of them hidden. */
export function distributionPart({ name, linear, log, isLog }: Distribution): string {
  const pair = (charts: readonly Chart[], scale: string, isShown: boolean): string =>
    `<div class="pair" data-scale="${scale}"${isShown ? "" : " hidden"}>` +
    `${charts.map((chart) => chartFigure(chart, "half")).join("")}</div>`;
  return `<section aria-label="${name}"><div class="row"><h3>${name}</h3>` +
    `<button type="button" data-axis hidden aria-pressed="${isLog}">logarithmic axis</button></div>` +
    `${pair(linear, "linear", !isLog)}${pair(log, "log", isLog)}</section>\n`;
}
