/** A chart that can be read, zoomed and walked through. */

import uPlot from "npm:uplot@1.6.32";
import { axisScale, HEADROOM, xValues } from "../../../core/chart/axis_scale.ts";
import { axisTitle, tickText } from "../../../core/chart/axis_text.ts";
import type { Chart, ChartSeries, ChartValue } from "../../../core/chart/chart.ts";
import { figureText, quantityText } from "../../../core/chart/figure_text.ts";
import { PALETTE } from "../../../core/chart/palette.ts";

const HEIGHT = 190;
const TRANSPARENT = "#0000";

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
  const isLog = chart.x.scale === "log";
  const plot = new uPlot(
    {
      width: widthOf(host),
      height: HEIGHT,
      scales: {
        x: { time: false, distr: isLog ? 3 : 1, range: (_plot, min, max) => [min, max] },
        y: { range: (_plot, min, max) => yRange(chart, min, max) },
      },
      series: [
        {
          label: chart.x.unit === "s" ? "time" : chart.x.label,
          value: (_plot, value) => shown(value, chart.x.unit),
        },
        ...lines.map(({ series }) => series),
      ],
      bands: bandsOf(chart),
      axes: [axisOf(host, chart.x, 26), axisOf(host, chart.y, 52)],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        dataIdx: (plot, series, index) => nearest(plot, series, index, lines),
        sync: {
          key: syncKey,
          scales: ["x", null],
          filters: { pub: (type) => type === "mousemove" || type === "mouseleave" },
        },
        bind: { dblclick: () => () => (events.onZoom(undefined), null) },
      },
      hooks: {
        drawAxes: [(plot) => drawSpans(plot, chart)],
        draw: [(plot) => drawMarks(plot, chart, host), (plot) => events.onDraw?.(plot)],
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

/** Returns the reading at the cursor of a view, for screen readers. */
export function readingAt({ chart, plot }: ChartView, index: number): string {
  const parts = plot.series.slice(1).flatMap((series, at) => {
    const value = plot.data[at + 1]?.[index];
    return value === null || value === undefined
      ? []
      : [`${String(series.label)} ${quantityText(value, chart.y.unit)}`];
  });
  const x = plot.data[0]?.[index];
  return x === undefined ? "" : `${quantityText(x, chart.x.unit)}: ${parts.join(", ")}`;
}

function shown(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? "-" : quantityText(value, unit);
}

function linesOf(series: ChartSeries): Line[] {
  const { label, color: name, shape, x, y, upper = [], isDashed } = series;
  const color = PALETTE[name];
  const base: uPlot.Series = {
    label,
    stroke: color,
    width: 1.6,
    points: { show: x.length === 1 },
    value: (_plot, value) => value === null || value === undefined ? "-" : figureText(value),
    ...(isDashed ? { dash: [5, 4] } : {}),
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  switch (shape) {
    case "band": {
      const [low, high] = label.split(" to ") as [string, string | undefined];
      const edge = { ...base, stroke: TRANSPARENT, width: 0 };
      return [
        { series: { ...edge, label: low }, x, y },
        { series: { ...edge, label: high ?? "upper" }, x, y: upper },
      ];
    }
    case "bars":
      return [{
        series: { ...base, width: 1, fill: `${color}bb`, ...(stepped ? { paths: stepped } : {}) },
        x,
        y,
      }];
    case "steps":
      return [{ series: { ...base, ...(stepped ? { paths: stepped } : {}) }, x, y }];
    case "points":
      return [{ series: { ...base, paths: () => null, points: { show: false } }, x, y }];
    default:
      return [{ series: base, x, y }];
  }
}

/** Fills between the edges of bands. */
function bandsOf({ series }: Chart): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let line = 1;
  for (const { shape, color } of series) {
    if (shape !== "band") {
      line++;
      continue;
    }
    bands.push({ series: [line + 1, line], fill: `${PALETTE[color]}38` });
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

/** The point of a line that holds where the cursor is: a row may belong to another line. */
function nearest(plot: uPlot, series: number, index: number, lines: readonly Line[]): number {
  const values = plot.data[series];
  if (series === 0 || values === undefined || (values[index] ?? null) !== null) return index;
  const holds = lines[series - 1]?.series.paths !== undefined;
  let before = index;
  while (before >= 0 && (values[before] ?? null) === null) before--;
  if (holds && before >= 0) return before;
  let after = index;
  while (after < values.length && (values[after] ?? null) === null) after++;
  if (after >= values.length) return before >= 0 ? before : index;
  return before >= 0 && index - before <= after - index ? before : after;
}

function yRange({ y, marks }: Chart, least: number | null, most: number | null): [number, number] {
  const high = marks.reduce(
    (high, { at, axis }) => axis === "y" ? Math.max(high, at) : high,
    most ?? 1,
  );
  const min = y.min ?? least ?? 0;
  return [min, y.max ?? (high > min ? min + (high - min) * HEADROOM : min + 1)];
}

function axisOf(host: HTMLElement, axis: Chart["x"], size: number): uPlot.Axis {
  const color = (): string => getComputedStyle(host).color;
  const grid = { stroke: "#88888833", width: 1 };
  return {
    label: axisTitle(axis),
    labelSize: 18,
    labelFont: "12px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    size,
    stroke: color,
    grid,
    ticks: { ...grid, size: 4 },
    values: (_plot, ticks) => ticks.map((tick) => tick === null ? "" : tickText(tick)),
  };
}

function drawSpans(plot: uPlot, { spans }: Chart): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { label, from, to, kind } of spans) {
    const left = plot.valToPos(from, "x", true);
    const width = Math.max(kind === "stall" ? 2 : 0, plot.valToPos(to, "x", true) - left);
    if (kind === "phase") {
      ctx.fillStyle = `${PALETTE.grey}26`;
      ctx.fillRect(left, bbox.top, width, bbox.height);
      ctx.fillStyle = PALETTE.grey;
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = "left";
      if (ctx.measureText(label).width < width) {
        ctx.fillText(label, left + 4, bbox.top + 12 * devicePixelRatio);
      }
      continue;
    }
    ctx.strokeStyle = PALETTE.vermilion;
    ctx.lineWidth = devicePixelRatio;
    const step = 6 * devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    for (let x = left - bbox.height; x < left + width; x += step) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}

function drawMarks(plot: uPlot, { marks }: Chart, host: HTMLElement): void {
  const { ctx, bbox } = plot;
  const color = getComputedStyle(host).color;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = 1.4 * devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  for (const { label, at, axis } of marks) {
    const place = plot.valToPos(at, axis, true);
    ctx.beginPath();
    if (axis === "x") {
      if (place < bbox.left || place > bbox.left + bbox.width) continue;
      ctx.moveTo(place, bbox.top);
      ctx.lineTo(place, bbox.top + bbox.height);
      const isRight = place > bbox.left + bbox.width / 2;
      ctx.textAlign = isRight ? "right" : "left";
      ctx.fillText(label, place + (isRight ? -4 : 4), bbox.top + 12 * devicePixelRatio);
    } else {
      ctx.moveTo(bbox.left, place);
      ctx.lineTo(bbox.left + bbox.width, place);
      ctx.textAlign = "left";
      ctx.fillText(label, bbox.left + 4, place - 4);
    }
    ctx.stroke();
  }
  ctx.restore();
}
