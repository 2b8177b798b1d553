/** A chart that can be read, zoomed and walked through. */

import uPlot from "npm:uplot@1.6.32";
import { axisScale, HEADROOM, xValues } from "../../../core/chart/axis_scale.ts";
import { axisTitle, tickText } from "../../../core/chart/axis_text.ts";
import type { Chart, ChartSeries, ChartValue } from "../../../core/chart/chart.ts";
import { drawEndLabels, drawMarks, drawSpans, drawUnit, FONT } from "./chart_marks.ts";
import { readingAt } from "./chart_reading.ts";
import { ChartTip } from "./chart_tip.ts";
import { themeColor } from "./theme_color.ts";

/** Heights of plots with their axes, in CSS pixels. */
const HEIGHT = 200;
const PANEL_HEIGHT = 132;
/** Width below which labels at the ends of lines have no room. */
const NARROW = 520;
const LABEL_WIDTH = 104;
const TRANSPARENT = "#0000";
/** Opacity of fills, as the end of a colour. */
const SOLID = "d9";
const FAINT = "38";

/** A chart on the page. */
export interface ChartView {
  readonly chart: Chart;
  readonly plot: uPlot;
  /** The element that takes the keyboard. */
  readonly host: HTMLElement;
  /** The whole of the x axis. */
  readonly full: { readonly min: number; readonly max: number };
}

/** Events of a chart view. */
export interface ChartViewEvents {
  /** Called when a range of the x axis was selected; undefined for the whole axis. */
  onZoom(range: { readonly min: number; readonly max: number } | undefined): void;
  /** Draws what the chart's own series do not. */
  onDraw?(plot: uPlot): void;
}

/** A line as uPlot has it; a band is two of them. */
interface Line {
  readonly series: uPlot.Series;
  readonly x: readonly number[];
  readonly y: readonly ChartValue[];
}

/**
 * Draws a chart into an element.
 * @param syncKey charts of the same key share their cursor
 */
export function chartView(
  chart: Chart,
  host: HTMLElement,
  syncKey: string,
  events: ChartViewEvents,
): ChartView {
  const lines = chart.series.flatMap(linesOf);
  const scale = axisScale(chart.x, xValues(chart), 5);
  const full = { min: scale.min, max: scale.max };
  const tip = new ChartTip(host);
  const plot = new uPlot(
    {
      width: widthOf(host),
      height: chart.isPanel ? PANEL_HEIGHT : HEIGHT,
      padding: [24, (plot: uPlot) => plot.width < NARROW ? 10 : LABEL_WIDTH, 0, 0],
      scales: {
        x: {
          time: false,
          distr: chart.x.scale === "log" ? 3 : 1,
          range: (_plot, min, max) => [min, max],
        },
        y: { range: (_plot, min, max) => yRange(chart, min, max) },
      },
      series: [{}, ...lines.map(({ series }) => series)],
      bands: bandsOf(chart),
      legend: { show: false },
      axes: [xAxis(chart), yAxis()],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        sync: {
          key: syncKey,
          scales: ["x", null],
          filters: { pub: (type) => type === "mousemove" || type === "mouseleave" },
        },
        bind: { dblclick: () => () => (events.onZoom(undefined), null) },
      },
      hooks: {
        drawAxes: [(plot) => drawSpans(plot, chart)],
        draw: [
          (plot) => drawMarks(plot, chart),
          (plot) => drawUnit(plot, chart),
          (plot) => plot.width < NARROW ? undefined : drawEndLabels(plot, chart),
          (plot) => events.onDraw?.(plot),
        ],
        setCursor: [(plot) => {
          const { left = -1 } = plot.cursor;
          if (left < 0) return tip.hide();
          const { min = null, max = null } = plot.scales["x"] ?? {};
          const span = (max ?? full.max) - (min ?? full.min);
          tip.show(readingAt(chart, plot.posToVal(left, "x"), span), left + plot.over.offsetLeft);
        }],
        setSelect: [(plot) => {
          const { left, width } = plot.select;
          if (width < 3) return;
          events.onZoom({ min: plot.posToVal(left, "x"), max: plot.posToVal(left + width, "x") });
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        }],
      },
    },
    aligned(lines),
    host,
  );
  plot.setScale("x", full);
  return { chart, plot, host, full };
}

/** The width that a view has room for. */
export function widthOf(host: HTMLElement): number {
  return Math.max(240, Math.floor(host.clientWidth));
}

function linesOf(series: ChartSeries): Line[] {
  const { color, isDashed, shape, upper = [], x, y } = series;
  const paint = (alpha = "") => (): string => `${themeColor(color)}${alpha}`;
  const base: uPlot.Series = {
    stroke: paint(),
    width: 1.6,
    points: { show: x.length === 1 },
    ...(isDashed ? { dash: [5, 4] } : {}),
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const steps = stepped ? { paths: stepped } : {};
  switch (shape) {
    case "band":
    case "stack": {
      const edge = {
        ...base,
        ...(shape === "stack" ? steps : {}),
        stroke: TRANSPARENT,
        width: 0,
        points: { show: false },
      };
      return [{ series: edge, x, y }, { series: edge, x, y: upper }];
    }
    case "bars":
      return [{ series: { ...base, width: 1, fill: paint("bb"), ...steps }, x, y }];
    case "steps":
      return [{ series: { ...base, ...steps }, x, y }];
    case "points":
      return [{
        series: {
          ...base,
          paths: () => null,
          points: series.radii === undefined
            ? { show: true, size: 5, width: 0, fill: paint("8c"), stroke: TRANSPARENT }
            : { show: false },
        },
        x,
        y,
      }];
    default:
      return [{ series: base, x, y }];
  }
}

/** Fills between the edges of bands and of parts of a stack. */
function bandsOf({ series }: Chart): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let line = 1;
  for (const { shape, color } of series) {
    if (shape !== "band" && shape !== "stack") {
      line++;
      continue;
    }
    const alpha = shape === "band" ? FAINT : SOLID;
    bands.push({ series: [line + 1, line], fill: () => `${themeColor(color)}${alpha}` });
    line += 2;
  }
  return bands;
}

/** All lines over one row of x values. */
function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const [first] = lines;
  if (first === undefined) return [[]];
  const isOne = lines.every(({ x }) =>
    x.length === first.x.length && x.every((value, index) => value === first.x[index])
  );
  if (isOne) return [[...first.x], ...lines.map(({ y }) => [...y])];
  return uPlot.join(lines.map(({ x, y }): uPlot.AlignedData => [[...x], [...y]]));
}

function yRange({ y, marks }: Chart, least: number | null, most: number | null): [number, number] {
  const high = marks.reduce(
    (high, { at, axis }) => axis === "y" ? Math.max(high, at) : high,
    most ?? 1,
  );
  const min = y.min ?? least ?? 0;
  return [min, y.max ?? (high > min ? min + (high - min) * HEADROOM : min + 1)];
}

const AXIS = {
  stroke: () => themeColor("soft"),
  font: FONT,
  values: (_plot: uPlot, ticks: (number | null)[]) =>
    ticks.map((tick) => tick === null ? "" : tickText(tick)),
};

function xAxis({ isPanel, x }: Chart): uPlot.Axis {
  return {
    ...AXIS,
    ...(isPanel ? {} : { label: `${axisTitle(x)} →`, labelSize: 18, labelFont: FONT }),
    size: 24,
    gap: 3,
    grid: { show: false },
    ticks: { stroke: () => themeColor("soft"), width: 1, size: 4 },
  };
}

function yAxis(): uPlot.Axis {
  const grid = { stroke: () => themeColor("grid"), width: 1 };
  return { ...AXIS, size: 50, gap: 4, space: 34, grid, ticks: { show: false } };
}
